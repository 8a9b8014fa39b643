/** Content negotiation for stored compressed forms. */
import type { Encoding } from './assets.js';

/** Smallest first. */
const stored = ['br', 'gzip'] as const;

/** @param accept value of `Accept-Encoding`. */
export function acceptedEncoding(accept: string): Encoding {
  const qualities = new Map(
    accept.split(',').map(part => {
      const [name = '', ...parameters] = part.split(';').map(text => text.trim().toLowerCase());
      const quality = parameters.find(text => text.startsWith('q='))?.slice(2);
      return [name, quality === undefined ? 1 : Number(quality)];
    }),
  );
  return stored.find(name => (qualities.get(name) ?? 0) > 0) ?? 'identity';
}

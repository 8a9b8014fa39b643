/** Storage addresses: `<scheme>://<bucket>/<key>`, split literally, never decoded or normalised. */
import { SrvError } from '@srv/kernel';
import { identifierType } from './contract.js';
import type { ObjectPointer } from './contract.js';

export interface Location {
  /** Lower-case, without `://`. */
  readonly scheme: string;
  /** Bucket of a full URI, or everything after the scheme of a namespace, one trailing `/` removed. */
  readonly namespace: string;
  readonly key: string;
}

const uri = /^([a-zA-Z][a-zA-Z0-9+.-]*):\/\/([\s\S]*)$/;

/** Splits a URI at its scheme; `undefined` when it has none. */
export function splitScheme(address: string): { scheme: string; rest: string } | undefined {
  const match = uri.exec(address);
  return match ? { scheme: (match[1] ?? '').toLowerCase(), rest: match[2] ?? '' } : undefined;
}

/**
 * Where an object is stored. Relative identifiers are appended to the namespace as they are; full ones stand alone; the
 * deprecated third kind is read as full if it can be, else as relative.
 * @param schemes those the store serves, in lower case.
 * @throws SrvError `invalid` for an address of no or another scheme.
 */
export function locate({ namespace, identifier, identifierType: type }: ObjectPointer, schemes: readonly string[]): Location {
  const full = type === identifierType.relative ? undefined : splitScheme(identifier);
  if (full && schemes.includes(full.scheme)) {
    const slash = full.rest.indexOf('/');
    return slash < 0
      ? { scheme: full.scheme, namespace: full.rest, key: '' }
      : { scheme: full.scheme, namespace: full.rest.slice(0, slash), key: full.rest.slice(slash + 1) };
  }
  if (type === identifierType.full) throw invalidAddress(identifier, schemes);
  const base = splitScheme(namespace);
  if (!base || !schemes.includes(base.scheme)) throw invalidAddress(namespace, schemes);
  return { scheme: base.scheme, namespace: base.rest.endsWith('/') ? base.rest.slice(0, -1) : base.rest, key: identifier };
}

/** The URI of a location. A `/` at the end of the namespace is part of where its objects lie. */
export function formatLocation({ scheme, namespace, key }: Location): string {
  return `${scheme}://${namespace.replace(/^\/+/, '')}/${key}`;
}

function invalidAddress(address: string, schemes: readonly string[]): SrvError {
  return new SrvError('invalid', `${address}: invalid address; it must start with ${schemes.map(s => `${s}://`).join(' or ')}`);
}

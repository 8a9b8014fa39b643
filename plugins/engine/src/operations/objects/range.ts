/** The `Range` header: one range of bytes. Anything else is refused, not ignored: clients rely on it. */

export interface ByteRange {
  /** First byte, from 0. */
  readonly start: number;
  /** Last byte, inclusive. */
  readonly end: number;
}

type RequestedRange =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly range: ByteRange }
  /** Understood, but outside the object. */
  | { readonly kind: 'outside' }
  | { readonly kind: 'malformed' };

/** @param size of the object, bytes. */
export function parseRange(header: string | undefined, size: number): RequestedRange {
  if (header === undefined || header === '') return { kind: 'whole' };
  const match = /^bytes=(\d*)-(\d*)$/.exec(header.trim());
  if (!match) return { kind: 'malformed' };
  const [, from = '', to = ''] = match;
  if (from === '' && to === '') return { kind: 'malformed' };
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? { kind: 'outside' } : { kind: 'part', range: { start: size - length, end: size - 1 } };
  }
  const start = Number(from);
  const end = to === '' ? size - 1 : Number(to);
  if (to !== '' && start > end) return { kind: 'malformed' };
  if (start >= size) return { kind: 'outside' };
  return { kind: 'part', range: { start, end: Math.min(end, size - 1) } };
}

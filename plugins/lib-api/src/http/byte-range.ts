/** The `Range` header: one range of bytes. What is not understood is ignored (RFC 9110, section 14.2). */

interface ByteRange {
  /** First byte, from 0. */
  readonly start: number;
  /** Last byte, inclusive. */
  readonly end: number;
}

export type RequestedRange =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly range: ByteRange }
  /** Understood, but outside the object. */
  | { readonly kind: 'outside' };

const whole = { kind: 'whole' } as const;
const outside = { kind: 'outside' } as const;

/** @param size of the object, bytes. */
export function parseRange(header: string | undefined, size: number): RequestedRange {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (!match) return whole;
  const [, from = '', to = ''] = match;
  if (from === '' && to === '') return whole;
  if (from === '') {
    const length = Math.min(Number(to), size);
    // The last bytes of an empty object are all it has.
    if (length === 0) return Number(to) === 0 ? outside : whole;
    return { kind: 'part', range: { start: size - length, end: size - 1 } };
  }
  const start = Number(from);
  if (to !== '' && isLessNumber(to, from)) return whole;
  if (start >= size) return outside;
  return { kind: 'part', range: { start, end: to === '' ? size - 1 : Math.min(Number(to), size - 1) } };
}

/** Compares numbers of any length by their digits: as floating-point numbers neighbours would be equal. */
export function isLessNumber(a: string, b: string): boolean {
  const [one, other] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return one.length === other.length ? one < other : one.length < other.length;
}

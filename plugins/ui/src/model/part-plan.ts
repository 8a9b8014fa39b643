/** How a large file is cut into the parts of an upload. */

const mebibyte = 2 ** 20;
/** Bytes; stores take no smaller parts but the last, and a lost one should not cost much. */
const usualPart = 8 * mebibyte;
/** What stores take at most. */
const maxParts = 10_000;

export interface PlannedPart {
  /** From 1. */
  readonly number: number;
  /** First byte. */
  readonly start: number;
  /** First byte after it. */
  readonly end: number;
}

/** Whether a file of `size` bytes is worth more than one part. */
export function isLarge(size: number): boolean {
  return size > usualPart;
}

/** The parts of a file of `size` bytes, all equal but the last. */
export function planParts(size: number): readonly PlannedPart[] {
  const length = Math.max(usualPart, Math.ceil(size / maxParts / mebibyte) * mebibyte);
  return Array.from({ length: Math.ceil(size / length) }, (_, i) => ({
    number: i + 1,
    start: i * length,
    end: Math.min(size, (i + 1) * length),
  }));
}

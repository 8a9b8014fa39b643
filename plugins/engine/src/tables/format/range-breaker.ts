/** Where a range ends (format.md section 9). */
import { fnv1a64Mod } from './fnv.js';

export interface BreakRules {
  /** Bytes; a smaller range is never closed by its keys. */
  readonly minSize: number;
  /** Bytes; a range of this size is closed. */
  readonly maxSize: number;
  /** A key ends a range with a probability of 1 in `raggedness`; 1 to 2^26. */
  readonly raggedness: number;
}

/** Whether the range ends after `key`, which has just been added. */
export function endsRange(key: Buffer, estimatedSize: number, { minSize, maxSize, raggedness }: BreakRules): boolean {
  if (estimatedSize < minSize) return false;
  return estimatedSize >= maxSize || fnv1a64Mod(key, raggedness) === 0;
}

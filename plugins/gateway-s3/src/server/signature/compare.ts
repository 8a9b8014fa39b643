/** Comparison that takes the same time wherever two texts differ. */
import { timingSafeEqual } from 'node:crypto';

export function equalText(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected, 'utf8'), Buffer.from(given, 'utf8')];
  return a.length === b.length && timingSafeEqual(a, b);
}

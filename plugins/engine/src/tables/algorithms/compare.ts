/** Three-way difference: what merging source into destination would do (format.md section 12.2). */
import { sameIdentity } from '../format/index.js';
import type { BaseView } from './base-view.js';
import type { DiffType, Difference } from './diff.js';

export interface Comparison extends Omit<Difference, 'type'> {
  readonly type: DiffType | 'conflict';
}

/** @param differences of destination (left) and source (right). */
export async function* compare(differences: AsyncIterable<readonly Difference[]>, base: BaseView): AsyncGenerator<Comparison[]> {
  for await (const batch of differences) {
    const found: Comparison[] = [];
    for (const difference of batch) {
      const type = outcome(difference, await base.value(difference.key));
      if (type !== undefined) found.push({ ...difference, type });
    }
    // Also without any: others get their turn between pages.
    yield found;
  }
}

/** `undefined`: only the destination changed. */
function outcome({ left, right, type }: Difference, base: Buffer | undefined): Comparison['type'] | undefined {
  const baseIsSource = base === undefined ? right === undefined : right !== undefined && sameIdentity(base, right);
  if (baseIsSource) return undefined;
  const baseIsDestination = base === undefined ? left === undefined : left !== undefined && sameIdentity(base, left);
  return baseIsDestination ? type : 'conflict';
}

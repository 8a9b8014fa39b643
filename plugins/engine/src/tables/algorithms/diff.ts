/** Two-way difference of metaranges (format.md section 12.1). Equal ranges and equal blocks are passed over unread. */
import { sameIdentity } from '../format/index.js';
import { batchSize, batchSteps } from './output.js';
import type { MetarangeCursor } from './metarange-cursor.js';

export type DiffType = 'added' | 'removed' | 'changed';

export interface Difference {
  readonly type: DiffType;
  readonly key: Buffer;
  /** Record value on the left; absent when added. */
  readonly left: Buffer | undefined;
  /** Record value on the right; absent when removed. */
  readonly right: Buffer | undefined;
}

/** Pages, which may be empty. @param exact also records of one identity whose data differ. */
export async function* diff(left: MetarangeCursor, right: MetarangeCursor, exact = false): AsyncGenerator<Difference[]> {
  let batch: Difference[] = [];
  for (let steps = 1; !left.done || !right.done; steps++) {
    if (batch.length >= batchSize || steps >= batchSteps) {
      yield batch;
      batch = [];
      steps = 0;
    }
    if (await descend(left, right)) continue;
    const order = left.done ? 1 : right.done ? -1 : Buffer.compare(left.nextKey, right.nextKey);
    if (order < 0) {
      batch.push({ type: 'removed', key: left.key, left: left.value, right: undefined });
      left.next();
    } else if (order > 0) {
      batch.push({ type: 'added', key: right.key, left: undefined, right: right.value });
      right.next();
    } else {
      const isSame = exact ? left.value.equals(right.value) : sameIdentity(left.value, right.value);
      if (!isSame) batch.push({ type: 'changed', key: left.key, left: left.value, right: right.value });
      left.next();
      right.next();
      left.skipEqualBlocks(right);
    }
  }
  if (batch.length > 0) yield batch;
}

/** Passes equal ranges and enters ranges whose records are next. False: the cursor with the smaller key is at a record. */
async function descend(left: MetarangeCursor, right: MetarangeCursor): Promise<boolean> {
  if (left.atRange && right.atRange) {
    if (left.range.id === right.range.id) {
      left.nextRange();
      right.nextRange();
      return true;
    }
    const leftFirst = Buffer.compare(left.range.maxKey, right.range.minKey) < 0;
    const rightFirst = Buffer.compare(right.range.maxKey, left.range.minKey) < 0;
    if (!rightFirst) await left.enter();
    if (!leftFirst) await right.enter();
    left.skipEqualBlocks(right);
    return true;
  }
  for (const [one, other] of [
    [left, right],
    [right, left],
  ] as const) {
    if (one.atRange && (other.done || Buffer.compare(one.range.minKey, other.key) <= 0)) {
      await one.enter();
      left.skipEqualBlocks(right);
      return true;
    }
  }
  return false;
}

/** Staged changes onto a base (format.md section 11): untouched ranges are taken over by id, unread. */
import { sameIdentity, withoutTail } from '../format/index.js';
import { batchSize } from './output.js';
import type { ChangeCursor } from './changes.js';
import type { MetarangeCursor } from './metarange-cursor.js';
import type { Output } from './output.js';

export interface ApplySummary {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/**
 * The base with the changes applied. A change of equal identity keeps the base's record; removing an absent key does
 * nothing; neither is counted.
 */
export async function* apply(base: MetarangeCursor, changes: ChangeCursor): AsyncGenerator<Output[], ApplySummary> {
  const count = { added: 0, changed: 0, removed: 0 };
  let batch: Output[] = [];
  for (;;) {
    if (batch.length >= batchSize) {
      yield batch;
      batch = [];
    }
    const change = changes.current;
    if (change === undefined) {
      if (base.done) break;
      const block = base.unreadBlock;
      if (block) {
        batch.push({ block });
        base.skipBlock();
        continue;
      }
      batch.push(base.atRange ? { range: base.range } : { key: base.key, value: withoutTail(base.value) });
      base.next();
      continue;
    }
    if (!base.done && base.atRange) {
      if (Buffer.compare(base.range.maxKey, change.key) < 0) {
        batch.push({ range: base.range });
        base.nextRange();
      } else await base.enter();
      continue;
    }
    const block = base.done ? undefined : base.unreadBlock;
    if (block && Buffer.compare(block.reach, change.key) < 0) {
      batch.push({ block });
      base.skipBlock();
      continue;
    }
    const order = base.done ? 1 : Buffer.compare(base.key, change.key);
    if (order < 0) {
      batch.push({ key: base.key, value: withoutTail(base.value) });
      base.next();
      continue;
    }
    const { key, value } = change;
    if (order > 0) {
      if (value !== undefined) {
        batch.push({ key, value });
        count.added++;
      }
    } else {
      if (value === undefined) count.removed++;
      else if (sameIdentity(base.value, value)) batch.push({ key: base.key, value: withoutTail(base.value) });
      else {
        batch.push({ key, value });
        count.changed++;
      }
      base.next();
    }
    const more = changes.next();
    if (more) await more;
  }
  if (batch.length > 0) yield batch;
  return count;
}

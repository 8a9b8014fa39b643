/** A base without some of its keys, with another set of records put in: what import does to a branch. */
import { withoutTail } from '../format/index.js';
import { batchSize } from './output.js';
import type { MetarangeCursor } from './metarange-cursor.js';
import type { Output } from './output.js';

/** Which keys of the base go away. */
export interface Removal {
  readonly prefixes: readonly Buffer[];
  readonly keys: readonly Buffer[];
}

/** Where both hold a key, `added` wins. Ranges that neither the removal nor `added` touches are taken over by id. */
export async function* replace(base: MetarangeCursor, added: MetarangeCursor, removal: Removal): AsyncGenerator<Output[]> {
  let batch: Output[] = [];
  while (!base.done || !added.done) {
    if (batch.length >= batchSize) {
      yield batch;
      batch = [];
    }
    const order = base.done ? 1 : added.done ? -1 : Buffer.compare(base.nextKey, added.nextKey);
    const [side, other] = order <= 0 ? [base, added] : [added, base];
    if (side.atRange) {
      const alone = other.done || Buffer.compare(side.range.maxKey, other.nextKey) < 0;
      if (alone && (side === added || !touches(removal, side.range.minKey, side.range.maxKey))) {
        batch.push({ range: side.range });
        side.nextRange();
      } else await side.enter();
      continue;
    }
    if (order === 0 && added.atRange) {
      await added.enter();
      continue;
    }
    if (order !== 0 && (side === added || !removes(removal, side.key))) batch.push({ key: side.key, value: withoutTail(side.value) });
    if (order === 0) batch.push({ key: added.key, value: withoutTail(added.value) });
    if (order === 0) added.next();
    side.next();
  }
  if (batch.length > 0) yield batch;
}

function removes({ prefixes, keys }: Removal, key: Buffer): boolean {
  return keys.some(k => k.equals(key)) || prefixes.some(prefix => startsWith(key, prefix));
}

/** Whether a key in [min, max] may be removed. */
function touches({ prefixes, keys }: Removal, min: Buffer, max: Buffer): boolean {
  return (
    keys.some(k => Buffer.compare(min, k) <= 0 && Buffer.compare(k, max) <= 0) ||
    prefixes.some(prefix => startsWith(min, prefix) || (Buffer.compare(min, prefix) <= 0 && Buffer.compare(prefix, max) <= 0))
  );
}

function startsWith(key: Buffer, prefix: Buffer): boolean {
  return key.length >= prefix.length && key.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}

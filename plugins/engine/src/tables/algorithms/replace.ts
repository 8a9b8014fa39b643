/** A base without some of its keys, with another set of records put in: what import does to a branch. */
import { withoutTail } from '../format/index.js';
import { batchSize, batchSteps } from './output.js';
import type { MetarangeCursor } from './metarange-cursor.js';
import type { Output } from './output.js';

/** Which keys of the base go away. */
export interface Removal {
  readonly prefixes: readonly Buffer[];
  readonly keys: readonly Buffer[];
}

/** Where both hold a key, `added` wins. Ranges that neither the removal nor `added` touches are taken over by id. */
export async function* replace(base: MetarangeCursor, added: MetarangeCursor, { prefixes, keys }: Removal): AsyncGenerator<Output[]> {
  const removal: Removal = { prefixes, keys: keys.toSorted(Buffer.compare) };
  let batch: Output[] = [];
  for (let steps = 1; !base.done || !added.done; steps++) {
    if (batch.length >= batchSize || steps >= batchSteps) {
      yield batch;
      batch = [];
      steps = 0;
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

/** @param removal its keys in order. */
function removes({ prefixes, keys }: Removal, key: Buffer): boolean {
  return keys[firstFrom(keys, key)]?.equals(key) === true || prefixes.some(prefix => startsWith(key, prefix));
}

/** Whether a key in [min, max] may be removed. */
function touches({ prefixes, keys }: Removal, min: Buffer, max: Buffer): boolean {
  const first = keys[firstFrom(keys, min)];
  return (
    (first !== undefined && Buffer.compare(first, max) <= 0) ||
    prefixes.some(prefix => startsWith(min, prefix) || (Buffer.compare(min, prefix) <= 0 && Buffer.compare(prefix, max) <= 0))
  );
}

/** Index of the first key that is not less. */
function firstFrom(keys: readonly Buffer[], key: Buffer): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (Buffer.compare(keys[middle] ?? key, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function startsWith(key: Buffer, prefix: Buffer): boolean {
  return key.length >= prefix.length && key.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}

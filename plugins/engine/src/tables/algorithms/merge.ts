/**
 * Three-way merge of metaranges (format.md section 12.3). Values are compared by key *and* identity. Blocks that are equal on
 * both sides are copied unread.
 */
import { SrvError } from '@srv/kernel/errors';
import { sameIdentity, withoutTail } from '../format/index.js';
import { batchSize, batchSteps } from './output.js';
import type { BaseView } from './base-view.js';
import type { MetarangeCursor } from './metarange-cursor.js';
import type { Output } from './output.js';

export type Strategy = 'none' | 'dest-wins' | 'source-wins';

/**
 * Destination with the source's changes since `base`.
 * @throws SrvError `conflict` with the path in its details, when both sides changed a key and `strategy` is `none`.
 */
export async function* merge(
  destination: MetarangeCursor,
  source: MetarangeCursor,
  base: BaseView,
  strategy: Strategy,
): AsyncGenerator<Output[]> {
  let batch: Output[] = [];
  const put = (output: Output | undefined): void => {
    if (output !== undefined) batch.push(output);
  };
  for (let steps = 1; !destination.done || !source.done; steps++) {
    if (batch.length >= batchSize || steps >= batchSteps) {
      yield batch;
      batch = [];
      steps = 0;
    }
    const block = destination.commonBlock(source);
    if (block) {
      put({ block });
      destination.skipBlock();
      source.skipBlock();
      continue;
    }
    const step = nextStep(destination, source);
    if (step === 'both-ranges') put(await bothRanges(destination, source, base));
    else if (step === 'both-records') {
      const { key, value } = source;
      const same = sameIdentity(destination.value, value);
      put(record(key, same ? value : resolveBoth(destination.value, value, await base.value(key), strategy, key)));
      destination.next();
      source.next();
    } else {
      const { side, whole } = step;
      if (!side.atRange) {
        const { key, value } = side;
        put(record(key, resolveOne(value, await base.value(key), side === source, strategy, key)));
        side.next();
      } else if (!whole) await side.enter();
      else {
        const overlap = base.overlapping(side.range.minKey, side.range.maxKey);
        if (overlap !== undefined && overlap.id !== side.range.id) {
          await side.enter();
          continue;
        }
        // Not in the base: added by this side. Equal to the base's: removed by the other side.
        if (overlap === undefined) put({ range: side.range });
        side.nextRange();
      }
    }
  }
  if (batch.length > 0) yield batch;
}

/** One side alone is next; `whole`: its range lies entirely before anything of the other side. */
type Step = 'both-ranges' | 'both-records' | { readonly side: MetarangeCursor; readonly whole: boolean };

function nextStep(destination: MetarangeCursor, source: MetarangeCursor): Step {
  if (source.done) return { side: destination, whole: true };
  if (destination.done) return { side: source, whole: true };
  const order = Buffer.compare(destination.nextKey, source.nextKey);
  if (order === 0 && !destination.atRange && !source.atRange) return 'both-records';
  const [first, second] = order < 0 || (order === 0 && destination.atRange) ? [destination, source] : [source, destination];
  if (first.atRange && second.atRange && Buffer.compare(first.range.maxKey, second.range.minKey) >= 0) return 'both-ranges';
  return { side: first, whole: first.atRange && Buffer.compare(first.range.maxKey, second.nextKey) < 0 };
}

/** Two ranges that share keys: taken whole when one side equals the other or the base, else both entered. */
async function bothRanges(destination: MetarangeCursor, source: MetarangeCursor, base: BaseView): Promise<Output | undefined> {
  const [d, s] = [destination.range, source.range];
  const sameBounds = d.minKey.equals(s.minKey) && d.maxKey.equals(s.maxKey);
  const baseId = sameBounds ? base.overlapping(d.minKey, d.maxKey)?.id : undefined;
  const taken = d.id === s.id || baseId === d.id ? s : baseId === s.id ? d : undefined;
  if (taken === undefined) {
    await destination.enter();
    await source.enter();
    return undefined;
  }
  destination.nextRange();
  source.nextRange();
  return { range: taken };
}

function record(key: Buffer, value: Buffer | undefined): Output | undefined {
  return value === undefined ? undefined : { key, value: withoutTail(value) };
}

/** Both sides have the key, with different identities. */
function resolveBoth(destination: Buffer, source: Buffer, base: Buffer | undefined, strategy: Strategy, key: Buffer): Buffer | undefined {
  if (base !== undefined && sameIdentity(base, source)) return destination;
  if (base !== undefined && sameIdentity(base, destination)) return source;
  return decide(strategy, destination, source, key);
}

/** The key is on one side only: added there, or removed on the other. */
function resolveOne(value: Buffer, base: Buffer | undefined, isSource: boolean, strategy: Strategy, key: Buffer): Buffer | undefined {
  if (base === undefined) return value;
  if (sameIdentity(base, value)) return undefined;
  return isSource ? decide(strategy, undefined, value, key) : decide(strategy, value, undefined, key);
}

function decide(strategy: Strategy, destination: Buffer | undefined, source: Buffer | undefined, key: Buffer): Buffer | undefined {
  if (strategy === 'none') throw new SrvError('conflict', 'conflict found', { details: { path: key.toString('utf8') } });
  return strategy === 'dest-wins' ? destination : source;
}

/** Removes a batch of objects: deletes them, or moves them to where they can be brought back from for a while. */
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { inParallel, slicesOf } from '@srv/lib-stores/block';
import { inNamespace } from '../prepare/places.js';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';
import type { GcBatch, GcBatchResult } from '../collection.js';

interface RemovalOptions {
  readonly block: BlockStore;
  /** Removals at a time, as far as the store takes them one by one. */
  readonly parallelism: number;
}

/** Objects the store is asked to remove at once; permission is asked for each lot. */
const lotSize = 250;

type Failure = GcBatchResult['failed'][number];

/** Failures of the store are reported per object; a refusal of the permit ends the batch. */
export async function removeBatch(batch: GcBatch, { block, parallelism }: RemovalOptions): Promise<GcBatchResult> {
  const removed: string[] = [];
  const failed: Failure[] = [];
  // Stores already remove several objects of a lot at a time.
  const lots = Math.max(1, Math.min(4, Math.floor(parallelism / 8)));
  await inParallel(slicesOf(batch.keys, lotSize), lots, async keys => {
    await batch.permit(keys.length);
    const moved = await moveLot(batch, keys, block, parallelism);
    failed.push(...moved.failed);
    const pointers = moved.keys.map(key => inNamespace(batch, key));
    const failures = new Map<ObjectPointer, string>(
      (await removeLot(pointers, batch, block)).map(({ pointer, error }) => [pointer, messageOf(error)]),
    );
    for (const [i, key] of moved.keys.entries()) {
      const pointer = pointers[i];
      const error = pointer && failures.get(pointer);
      if (error === undefined) removed.push(key);
      else failed.push({ key, error });
    }
  });
  return { removed, failed };
}

async function removeLot(pointers: readonly ObjectPointer[], { signal }: GcBatch, block: BlockStore) {
  try {
    return await block.removeAll(pointers, { signal });
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = error instanceof Error ? error : new SrvError('internal', String(error));
    return pointers.map(pointer => ({ pointer, error: reason }));
  }
}

/** Copies a lot to quarantine, if there is one. @returns the keys that may be removed. */
async function moveLot(batch: GcBatch, keys: readonly string[], block: BlockStore, parallelism: number) {
  const { quarantine, signal } = batch;
  if (quarantine === undefined) return { keys, failed: [] };
  const moved: string[] = [];
  const failed: Failure[] = [];
  await inParallel(keys, parallelism, async key => {
    try {
      await block.copy(inNamespace(batch, key), inNamespace(batch, `${quarantine}/${key}`), signal);
      moved.push(key);
    } catch (error) {
      if (signal.aborted) throw error;
      // A run before this one has moved it.
      if (isSrvError(error, 'no_data')) moved.push(key);
      else failed.push({ key, error: messageOf(error) });
    }
  });
  return { keys: moved, failed };
}

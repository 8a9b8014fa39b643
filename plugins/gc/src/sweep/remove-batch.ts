/** Removes a batch of objects: deletes them, or moves them to where they can be brought back from for a while. */
import { isSrvError, messageOf } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-block-store';
import type { GcBatch, GcBatchResult } from '../collection.js';
import { inNamespace } from '../prepare/places.js';

export interface RemovalOptions {
  readonly block: BlockStore;
  /** Removals at a time. */
  readonly parallelism: number;
}

/** Failures of the store are told per object; a refusal of the permit ends the batch. */
export async function removeBatch(batch: GcBatch, { block, parallelism }: RemovalOptions): Promise<GcBatchResult> {
  const removed: string[] = [];
  const failed: { key: string; error: string }[] = [];
  const queue = batch.keys.values();
  let refusal: unknown;
  const work = async (): Promise<void> => {
    for (const key of queue) {
      if (refusal !== undefined) return;
      try {
        await batch.permit();
      } catch (error) {
        refusal = error;
        return;
      }
      try {
        await remove(batch, key, block);
        removed.push(key);
      } catch (error) {
        failed.push({ key, error: messageOf(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallelism, batch.keys.length) }, work));
  if (refusal !== undefined) throw refusal;
  return { removed, failed };
}

async function remove(batch: GcBatch, key: string, block: BlockStore): Promise<void> {
  const object = inNamespace(batch, key);
  if (batch.quarantine !== undefined) {
    try {
      await block.copy(object, inNamespace(batch, `${batch.quarantine}/${key}`));
    } catch (error) {
      // A run before this one has moved it.
      if (!isSrvError(error, 'no_data')) throw error;
    }
  }
  await block.remove(object);
}

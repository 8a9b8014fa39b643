/**
 * Extension points of the engine itself; those of the kernel are in `kernel/src/hooks.ts`. A plugin taps them in its own `start`:
 * `services.get('engine').hooks.mergeObject.tapPromise('my-plugin', async conflict => …)`.
 */
import { guardHook } from '@srv/kernel';
import { AsyncSeriesBailHook, AsyncSeriesHook } from 'tapable';
import type { FileCollection, ObjectConflict, ObjectMerge } from './objects/contract.js';

/** Milliseconds that a tap may take: objects may stand for many others, and a namespace may hold millions of files. */
const [mergeLimit, collectionLimit] = [3_600_000, 86_400_000];

export function createEngineHooks() {
  const hooks = {
    /** Merges by content an object that both sides changed; a tap leaves objects that are not its own, and throws `conflict` with the reasons where its own cannot be merged. Who: `iceberg`. */
    mergeObject: new AsyncSeriesBailHook<[conflict: ObjectConflict], ObjectMerge | undefined>(['conflict']),
    /** Removes garbage from files that a plugin keeps in the namespace beside the objects of branches. Who: `iceberg`, `search`; called by `gc`. */
    collectFiles: new AsyncSeriesHook<[collection: FileCollection]>(['collection']),
  };
  guardHook(hooks.collectFiles, 'collectFiles', { limit: collectionLimit });
  guardHook(hooks.mergeObject, 'mergeObject', { limit: mergeLimit });
  return hooks;
}

export type EngineHooks = ReturnType<typeof createEngineHooks>;

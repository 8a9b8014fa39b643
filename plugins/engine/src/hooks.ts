/**
 * Extension points of the engine itself; those of the kernel are in `kernel/src/hooks.ts`. A plugin taps them in its own `start`:
 * `services.get('engine').hooks.mergeObject.tapPromise('my-plugin', async conflict => …)`.
 */
import { guardHook } from '@srv/kernel';
import { AsyncSeriesBailHook } from 'tapable';
import type { ObjectConflict, ObjectMerge } from './objects/contract.js';

/** Milliseconds that a tap may take: objects may stand for many others. */
const mergeLimit = 3_600_000;

export function createEngineHooks() {
  const hooks = {
    /** Merges by content an object that both sides changed; a tap leaves objects that are not its own, and throws `conflict` with the reasons where its own cannot be merged. Who: `iceberg`. */
    mergeObject: new AsyncSeriesBailHook<[conflict: ObjectConflict], ObjectMerge | undefined>(['conflict']),
  };
  guardHook(hooks.mergeObject, 'mergeObject', { limit: mergeLimit });
  return hooks;
}

export type EngineHooks = ReturnType<typeof createEngineHooks>;

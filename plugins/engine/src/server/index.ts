/** Wires the engine: sorted tables, branches and commits upon them, objects upon those. */
import { definePlugin } from '@srv/kernel';
import { createEngineHooks } from '../hooks.js';
import { AddressProvider } from '../objects/addresses.js';
import { checkStores } from '../objects/configured-stores.js';
import { describeRecord as describeObjectRecord } from '../objects/describe-record.js';
import { IgnoredActionsWarning } from '../objects/ignored-actions-warning.js';
import { createObjectMerge } from '../objects/object-merge.js';
import { heartbeatPartition } from '../objects/tasks.js';
import { describeRecord as describeRefRecord } from '../refs/describe-record.js';
import { findPartitions } from '../refs/known-partitions.js';
import { startObjects } from './objects.js';
import { adopt, startRefs } from './refs.js';
import { startTables } from './tables.js';
import type { RunningRefs } from '../refs/service.js';
import type { RunningObjects } from './objects.js';
import type { RunningTables } from './tables.js';

export default definePlugin({
  name: 'engine',
  apply(kernel) {
    const { hooks } = kernel;
    let tables: RunningTables | undefined;
    let refs: RunningRefs | undefined;
    let objects: RunningObjects | undefined;
    const ignoredActions = new IgnoredActionsWarning({ hooks, log: kernel.log });
    hooks.describeRecord.tap('engine', describeRefRecord);
    hooks.describeRecord.tap('engine', describeObjectRecord);
    hooks.partitions.tapPromise('engine', async (kv, found) => {
      await findPartitions(kv, found);
      found(heartbeatPartition);
    });
    hooks.start.tapPromise('engine', async () => {
      tables = await startTables(kernel);
      const parts = { hooks: createEngineHooks(), addresses: new AddressProvider() };
      refs = startRefs(kernel, tables.store, createObjectMerge({ ...parts, block: kernel.services.get('block') }));
      await checkStores(kernel.services.get('block'), refs.refs.repositories(''));
      await adopt(kernel, refs.refs, tables.store);
      objects = startObjects(kernel, { refs: refs.refs, tables: tables.store, ...parts });
      ignoredActions.watch(() => objects?.engine);
    });
    hooks.ready.tap('engine', () => {
      tables?.ready();
      objects?.cleaner.start();
      objects?.moves.start();
    });
    hooks.stop.tapPromise('engine', async () => {
      objects?.cleaner.stop();
      await objects?.moves.stop();
      await ignoredActions.drain();
      await objects?.tasks.stop();
      await refs?.stop();
      await tables?.stop();
    });
  },
});

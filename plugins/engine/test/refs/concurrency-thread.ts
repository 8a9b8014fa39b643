/** A thread that runs schedules: the hooks of the test runner, which cost a third of the time, are not in it. */
import { workerData } from 'node:worker_threads';
import { MemoryKvStore } from '@srv/kernel/testing';
import { storeOfPeers } from './fixture.js';
import { HastyKv } from './hostile-kv.js';
import { runSchedules } from './schedules.js';

export interface Schedules {
  readonly firstSeed: number;
  readonly schedules: number;
  /** One server for all; two that know of each other; two of which the second one empties retired partitions at once. */
  readonly servers: 'one' | 'peers' | 'hasty';
}

const { servers, ...seeds } = workerData as Schedules;

await runSchedules({
  ...seeds,
  // Each has stores of its own, in memory.
  atOnce: 32,
  stores: () => {
    if (servers === 'hasty') {
      const kv = new MemoryKvStore('postgres');
      return [kv, new HastyKv(kv)];
    }
    const kv = servers === 'peers' ? storeOfPeers() : new MemoryKvStore();
    return [kv, kv];
  },
});

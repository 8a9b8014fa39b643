/** A thread that runs schedules: the hooks of the test runner, which cost a third of the time, are not in it. */
import { workerData } from 'node:worker_threads';
import { MemoryKvStore } from '@srv/kernel/testing';
import { HastyKv } from './hostile-kv.js';
import { runSchedules } from './schedules.js';

export interface Schedules {
  readonly firstSeed: number;
  readonly schedules: number;
  /** Whether the second server empties retired partitions at once. */
  readonly isHasty: boolean;
}

const { isHasty, ...seeds } = workerData as Schedules;

await runSchedules({
  ...seeds,
  // Each has stores of its own, in memory.
  atOnce: 32,
  stores: () => {
    const kv = new MemoryKvStore(isHasty ? 'postgres' : undefined);
    return [kv, isHasty ? new HastyKv(kv) : kv];
  },
});

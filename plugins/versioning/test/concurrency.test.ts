import { describe, it } from 'node:test';
import { MemoryKvStore } from '@srv/kernel/testing';
import { HastyKv } from './hostile-kv.js';
import { runSchedules } from './schedules.js';

/** Schedules per run; a longer run is asked for by their number. */
const schedules = Number(process.env['SRV_SCHEDULES'] ?? 400);
const firstSeed = Number(process.env['SRV_TEST_SEED'] ?? Date.now() % 1_000_000);

describe('many clients over two servers and a store that delays, reorders and loses compare-and-sets', () => {
  it(`no acknowledged write is lost or duplicated, commits are linear (SRV_TEST_SEED=${firstSeed}, ${schedules} schedules)`, () =>
    runSchedules({
      firstSeed,
      schedules,
      stores: () => {
        const kv = new MemoryKvStore();
        return [kv, kv];
      },
    }));

  it(`the same beside a server that empties retired partitions at once (SRV_TEST_SEED=${firstSeed}, ${schedules / 2} schedules)`, () =>
    runSchedules({
      firstSeed,
      schedules: Math.ceil(schedules / 2),
      stores: () => {
        const kv = new MemoryKvStore('postgres');
        return [kv, new HastyKv(kv)];
      },
    }));
});

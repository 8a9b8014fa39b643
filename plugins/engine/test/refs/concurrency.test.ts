import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { runCount } from '@srv/kernel/testing';
import type { Schedules } from './concurrency-thread.js';

/** Schedules per run; a longer run is asked for by their number. */
const schedules = Number(process.env['SRV_SCHEDULES'] ?? runCount(100, 400));
const firstSeed = Number(process.env['SRV_TEST_SEED'] ?? Date.now() % 1_000_000);

function runInThread(workerData: Schedules): Promise<void> {
  const thread = new Worker(new URL('./concurrency-thread.js', import.meta.url), { workerData });
  return new Promise((resolve, reject) => {
    thread.on('error', reject);
    thread.on('exit', code => (code === 0 ? resolve() : reject(new Error(`the thread ended with ${code}`))));
  });
}

describe('many clients over two servers and a store that delays, reorders and loses compare-and-sets', () => {
  it(`no acknowledged write is lost or duplicated, commits are linear (SRV_TEST_SEED=${firstSeed}, ${schedules} schedules)`, () =>
    runInThread({ firstSeed, schedules, servers: 'peers' }));

  it(`the same over one server (SRV_TEST_SEED=${firstSeed}, ${schedules} schedules)`, () =>
    runInThread({ firstSeed, schedules, servers: 'one' }));

  it(`the same beside a server that empties retired partitions at once (SRV_TEST_SEED=${firstSeed}, ${schedules / 2} schedules)`, () =>
    runInThread({ firstSeed, schedules: Math.ceil(schedules / 2), servers: 'hasty' }));
});

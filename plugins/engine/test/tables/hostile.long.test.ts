/** Damaged tables for a long time: `SRV_FUZZ_MS` milliseconds. */
import { it } from 'node:test';
import { readMutants, seed } from './damaged-tables.js';

const duration = Number(process.env['SRV_FUZZ_MS'] ?? 0);

it(`mutations of tables end in a typed error for ${duration} ms (SRV_TEST_SEED=${seed})`, () => {
  // Others than the default set reads with the same seed.
  readMutants({ count: 100_000, duration, start: seed + 2 });
});

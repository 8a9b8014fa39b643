/** The same schedules as in memory, through two kernels over one PostgreSQL database. */
import { describe, it } from 'node:test';
import { createTestKernel } from '@srv/kernel/testing';
import kvPostgresConfig from '@srv/kv-postgres/config';
import kvPostgres from '@srv/kv-postgres/plugin';
import { NeedsError } from '@srv/test-servers';
import { startPostgres } from '@srv/test-servers/postgres';
import { runSchedules } from './schedules.js';

/** A tenth of those in memory: every step waits for a disk. */
const schedules = Math.ceil(Number(process.env['SRV_SCHEDULES'] ?? 400) / 10);
const firstSeed = Number(process.env['SRV_TEST_SEED'] ?? Date.now() % 1_000_000);

describe('many clients over two kernels and one PostgreSQL database', () => {
  it(`no acknowledged write is lost or duplicated, commits are linear (SRV_TEST_SEED=${firstSeed}, ${schedules} schedules)`, async t => {
    const postgres = await startPostgres().catch((error: unknown) => {
      if (error instanceof NeedsError) return undefined;
      throw error;
    });
    if (!postgres) return t.skip('needs PostgreSQL');
    try {
      const config = { 'database.type': 'postgres', 'database.postgres.connection_string': await postgres.createDatabase() };
      const boot = () => createTestKernel({ plugins: [{ plugin: kvPostgres, section: kvPostgresConfig }], config });
      const [one, two] = [await boot(), await boot()];
      try {
        await runSchedules({ firstSeed, schedules, stores: () => [one.services.get('kv'), two.services.get('kv')] });
      } finally {
        await Promise.all([one.stop(), two.stop()]);
      }
    } finally {
      await postgres.close();
    }
  });
});

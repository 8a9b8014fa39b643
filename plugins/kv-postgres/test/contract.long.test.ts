import { testKvStore } from '@srv/lib-stores/testing';
import { open, withPostgres } from './server.js';

await withPostgres(server =>
  testKvStore('kv-postgres on PostgreSQL', async () => {
    const url = await server.createDatabase();
    return { store: await open(url), reopen: () => open(url), cleanup: async () => undefined };
  }),
);

import { randomUUID } from 'node:crypto';
import { after } from 'node:test';
import { testKvStore } from '@srv/lib-stores/testing';
import { startCosmosdb } from '@srv/test-servers/cosmosdb';
import { openAt } from './stores.js';

const server = await startCosmosdb();
after(() => server.close());

testKvStore('kv-cosmosdb on @vercel/cosmosdb-server', async () => {
  const container = `kv-${randomUUID()}`;
  const open = () => openAt(server.url, { container });
  return { store: await open(), reopen: open, cleanup: async () => undefined };
});

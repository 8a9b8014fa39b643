import { randomUUID } from 'node:crypto';
import { after } from 'node:test';
import { testKvStore } from '@srv/lib-stores/testing';
import { startDynamodb } from '@srv/test-servers/dynamodb';
import { openAt } from './stores.js';

const server = await startDynamodb();
after(() => server.close());

testKvStore(
  'kv-dynamodb on dynalite',
  async () => {
    const tableName = `kv-${randomUUID()}`;
    const open = () => openAt(server.url, { tableName });
    return { store: await open(), reopen: open, cleanup: async () => undefined };
  },
  { maxValueBytes: 400 * 1024 },
);

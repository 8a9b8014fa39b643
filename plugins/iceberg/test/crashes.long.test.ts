/** Random histories of tables in which the server dies at any write to a store, and starts again. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { CrashPoint } from './support/crash-point.js';
import { openCatalogServer } from './support/server.js';
import { ageless, testHistories } from './support/table-model.js';
import type { CatalogServer } from './support/server.js';

const folder = scratchFolder();
const values = {
  ...ageless,
  'database.local.path': join(folder, 'metadata'),
  'blockstore.local.path': join(folder, 'block'),
  'auth.encrypt.secret_key': 'a secret for tests',
  'blockstore.signing.secret_key': 'another secret for tests',
  // Errors of stores that are gone are what is tested.
  'logging.level': 'NONE',
};
let server: CatalogServer;
let point: CrashPoint;

async function open(): Promise<void> {
  const fresh = new CrashPoint();
  point = fresh;
  server = await openCatalogServer(values, ['gc'], kernel => kernel.hooks.stores.tap('test', stores => fresh.stores(stores)));
}
before(open);
after(() => server.stop());

let deaths = 0;
async function restart(): Promise<void> {
  deaths++;
  // What a process that dies does not do fails here.
  await server.stop().catch(() => {});
  await open();
}

const at = {
  get server() {
    return server;
  },
  crash: {
    get point() {
      return point;
    },
    restart,
  },
};
testHistories(() => at, { rounds: 6, steps: 50 });

test('the server died often in these histories', () => assert.ok(deaths >= 3, String(deaths)));

/** Long random histories of tables, with collections of their garbage. */
import { after, before } from 'node:test';
import { ageless, testHistories } from './support/garbage-model.js';
import { startCatalog } from './support/server.js';
import type { CatalogServer } from './support/server.js';

let server: CatalogServer;
before(async () => {
  server = await startCatalog(ageless, ['gc']);
});
after(() => server.stop());

testHistories(() => server, { rounds: 12, steps: 60 });

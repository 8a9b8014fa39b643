/** Long random histories of tables: merges, reverts, drops, collections of garbage. */
import { after, before } from 'node:test';
import { startCatalog } from './support/server.js';
import { ageless, testHistories } from './support/table-model.js';
import type { CatalogServer } from './support/server.js';

let server: CatalogServer;
before(async () => {
  server = await startCatalog(ageless, ['gc']);
});
after(() => server.stop());

testHistories(() => ({ server }), { rounds: 12, steps: 60 });

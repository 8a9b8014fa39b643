/** Long random histories of tables: merges, reverts, drops, collections of garbage; PyIceberg reads a sample of what is left. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { endScripts, isMissing, script } from './support/python.js';
import { startCatalog } from './support/server.js';
import { ageless, testHistories } from './support/table-model.js';
import type { CatalogServer } from './support/server.js';
import type { Sample } from './support/table-model.js';

const missing = isMissing('pyiceberg', 'pyarrow');

let server: CatalogServer;
before(async () => {
  server = await startCatalog(ageless, ['gc']);
});
after(async () => {
  await endScripts();
  await server.stop();
});

let readRows = 0;
const read = async (samples: readonly Sample[]): Promise<unknown> => {
  const rows = await script(
    server,
    `
cat = catalog()
def rows(s):
  table = cat.load_table((s['repository'], s['ref'], 'sales', s['table']))
  return sorted(r['id'] for r in table.scan(snapshot_id=int(s['snapshot'])).to_arrow().to_pylist())
print(json.dumps([rows(s) for s in json.loads(${JSON.stringify(JSON.stringify(samples))})]))`,
  );
  readRows += (rows as unknown[]).flat().length;
  return rows;
};

testHistories(() => (missing === false ? { server, read } : { server }), { rounds: 12, steps: 60 });

test('PyIceberg has read rows of the histories', { skip: missing }, () => assert.ok(readRows > 0));

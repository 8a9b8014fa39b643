/** Clients that append to a table while its branch is merged and garbage is collected: nothing is lost or there twice. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { namespacePath, schema, startCatalog } from './support/server.js';
import { TableData, parquetOf } from './support/table-data.js';
import { collect } from './support/table-model.js';
import type { CatalogServer } from './support/server.js';

const by = { committer: 'test' };
const [clients, appends] = [6, 12];
/** Of the clients, those that append where the others' branch is merged. */
const onDestination = 2;

let server: CatalogServer;
let data: TableData;
before(async () => {
  server = await startCatalog({}, ['gc']);
  data = new TableData(server);
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'sales'] } });
});
after(() => server.stop());

const isConflict = (error: unknown): boolean => error instanceof Error && error.message.startsWith('409 ');

/** As clients do: again from the newest state until it succeeds. */
async function append(table: { readonly ref: string; readonly name: string }, file: string): Promise<void> {
  for (;;) {
    try {
      await data.append(table, [file]);
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}

for (const version of [2, 3])
  test(`appends of ${clients} clients to a table of version ${version} are all there once, on the branch and where it is merged meanwhile`, async () => {
    const [name, dev] = [`t${version}`, `dev${version}`];
    const { status, body } = await server.call('POST', `${namespacePath('lake', 'main', 'sales')}/tables`, {
      body: { name, schema, properties: { 'format-version': String(version) } },
    });
    assert.equal(status, 200, body);
    const { location } = (await data.load({ ref: 'main', name })).metadata;
    const newFile = async (file: string): Promise<string> => {
      const address = `${location}/data/${file}.parquet`;
      await data.write(address, parquetOf([1]));
      return address;
    };
    const first = await newFile('first');
    await data.append({ ref: 'main', name }, [first]);
    await server.engine.commit('lake', 'main', { ...by, message: 'begin' });
    await server.engine.createBranch('lake', dev, 'main');

    const expected = { main: [first], [dev]: [first] };
    let isOver = false;
    const writers = Array.from({ length: clients }, async (_, client) => {
      for (let i = 0; i < appends; i++) {
        const file = await newFile(`${client}-${i}`);
        if (client >= onDestination) expected[dev]?.push(file);
        expected.main.push(file);
        await append({ ref: client < onDestination ? 'main' : dev, name }, file);
      }
    });
    const merge = async (): Promise<void> => {
      for (const branch of [dev, 'main'])
        await server.engine.commit('lake', branch, { ...by, message: 'more' }).catch((error: unknown) => {
          if (!isSrvError(error, 'no_changes')) throw error;
        });
      await server.engine.merge('lake', dev, 'main', by).catch((error: unknown) => {
        // What was appended since the commit is uncommitted; the next merge has it.
        if (!isSrvError(error, 'no_changes', 'dirty_branch', 'conflict')) throw error;
      });
    };
    const merges = (async () => {
      while (!isOver) {
        await merge();
        await collect(server, 'lake');
      }
    })();
    try {
      await Promise.all(writers);
    } finally {
      isOver = true;
    }
    await merges;
    await merge();
    for (const [ref, files] of Object.entries(expected)) assert.deepEqual(await data.filesAt({ ref, name }), files.sort(), ref);
    const { results } = await server.engine.log('lake', 'main', { amount: 1000 });
    assert.ok(
      results.some(({ parents }) => parents.length > 1),
      'it was merged',
    );
    // Snapshots come in order, each with its own number.
    const numbers = (await data.load({ ref: 'main', name })).metadata.snapshots.map(snapshot => Number(snapshot['sequence-number']));
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].sort((a, b) => a - b),
    );
  });

/** Clients that append to a table, and roll it back, while its branch is merged and garbage is collected: nothing is lost or there twice. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { namespacePath, schema, startCatalog } from './support/server.js';
import { TableData, parquetOf } from './support/table-data.js';
import { collect } from './support/table-model.js';
import type { CatalogServer } from './support/server.js';
import type { TableAt } from './support/table-data.js';

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
async function append(table: TableAt, file: string): Promise<bigint> {
  for (;;) {
    try {
      return await data.append(table, [file]);
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
}

/** Adds a file and rolls the table back to before, unless others have changed it since. @returns whether the file is gone. */
async function appendAndRollBack(table: TableAt, file: string): Promise<boolean> {
  const id = await append(table, file);
  const { snapshots } = (await data.load(table)).metadata;
  const parent = snapshots.find(snapshot => String(snapshot['snapshot-id']) === String(id))?.['parent-snapshot-id'];
  const rollBack = { action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': parent };
  try {
    await data.update(table, [rollBack], [{ type: 'assert-ref-snapshot-id', ref: 'main', 'snapshot-id': id }]);
    return true;
  } catch (error) {
    if (!isConflict(error)) throw error;
    return false;
  }
}

for (const version of [1, 2, 3])
  test(`appends of ${clients} clients to a table of version ${version} are all there once but for those rolled back, on the branch and where it is merged meanwhile`, async () => {
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
    const rolledBack: string[] = [];
    const undoing = (async () => {
      // Once the others are done, nothing comes between.
      for (let i = 0; i < appends || rolledBack.length === 0; i++) {
        const file = await newFile(`undone-${i}`);
        if (await appendAndRollBack({ ref: 'main', name }, file)) rolledBack.push(file);
        else expected.main.push(file);
      }
    })();
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
      await Promise.all([...writers, undoing]);
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
    const { metadata } = await data.load({ ref: 'main', name });
    // What was rolled back is a snapshot still.
    assert.ok(metadata.snapshots.length > expected.main.length, `${rolledBack.length} were rolled back`);
    if (version === 1) return;
    // Snapshots come in order, each with its own number.
    const numbers = metadata.snapshots.map(snapshot => Number(snapshot['sequence-number']));
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].sort((a, b) => a - b),
    );
  });

/** Changes of several tables: all of them or none, for every reader and in every commit of the branch. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SrvError } from '@srv/kernel';
import { runCount } from '@srv/kernel/testing';
import { Namespaces } from '../src/server/namespaces.js';
import { TableFiles } from '../src/server/storage/table-files.js';
import { Tables } from '../src/server/tables.js';
import { namespacePath, schema, startCatalog } from './support/server.js';
import type { CatalogServer } from './support/server.js';

let server: CatalogServer;
const tables = ['a', 'b', 'c'];
before(async () => {
  server = await startCatalog();
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'sales'] } });
  for (const name of tables) await server.call('POST', `${namespacePath('lake', 'main', 'sales')}/tables`, { body: { name, schema } });
});
after(() => server.stop());

const change = (name: string, value: string, requirements: readonly object[] = []) => ({
  identifier: { namespace: ['lake', 'main', 'sales'], name },
  requirements,
  updates: [{ action: 'set-properties', updates: { n: value } }],
});
const transact = (changes: readonly object[]) => server.call('POST', '/transactions/commit', { body: { 'table-changes': changes } });
const backendAway = 'a backend of the server cannot be reached, try again later';
const refused = (message: string) => ({ error: { message, type: 'CommitFailedException', code: 409 } });
const valueAt = async (name: string, ref = 'main'): Promise<string | undefined> => {
  const { body } = await server.call('GET', `${namespacePath('lake', ref, 'sales')}/tables/${name}`);
  return (JSON.parse(body) as { metadata: { properties: Record<string, string> } }).metadata.properties['n'];
};
const valuesAt = (ref = 'main') => Promise.all(tables.map(name => valueAt(name, ref)));
const transactions = '_lakefs_tables/iceberg/transactions/';
const pointer = (name: string): string => `_lakefs_tables/iceberg/namespaces/sales/tables/${name}`;

async function readObject(path: string): Promise<Record<string, unknown>> {
  const entry = await server.engine.getEntry('lake', 'main', path);
  const pieces: Buffer[] = [];
  for await (const piece of await server.engine.open('lake', entry)) pieces.push(piece as Buffer);
  return JSON.parse(Buffer.concat(pieces).toString()) as Record<string, unknown>;
}

test('all tables change, or none when a requirement of one is not met', async () => {
  assert.equal((await transact(tables.map(name => change(name, '1')))).status, 204);
  assert.deepEqual(await valuesAt(), ['1', '1', '1']);
  const failing = await transact([
    change('a', '2'),
    change('b', '2'),
    change('c', '2', [{ type: 'assert-current-schema-id', 'current-schema-id': 7 }]),
  ]);
  assert.equal(failing.status, 409);
  assert.deepEqual(await valuesAt(), ['1', '1', '1']);
  assert.deepEqual((await server.engine.list('lake', 'main', { prefix: transactions })).results, []);
  assert.equal((await transact([change('a', '3'), change('none', '3')])).status, 404);
  assert.match((await transact([change('a', '3'), change('a', '4')])).body, /named twice/);
  assert.deepEqual(await valuesAt(), ['1', '1', '1']);
});

test('a table whose change was written, but answered with an error, does not stay pending', async t => {
  const before = await valuesAt();
  const { engine } = server;
  const put = engine.putObject.bind(engine);
  t.mock.method(engine, 'putObject', async (...args: Parameters<typeof put>) => {
    const entry = await put(...args);
    if (args[2] === pointer('b')) throw new SrvError('unavailable', 'the answer was lost');
    return entry;
  });
  const { status, body } = await transact([change('a', 'lost'), change('b', 'lost')]);
  assert.deepEqual([status, JSON.parse(body)], [409, refused(backendAway)]);
  t.mock.restoreAll();
  for (const name of ['a', 'b']) assert.equal((await readObject(pointer(name)))['pending'], undefined, name);
  assert.deepEqual(await valuesAt(), before);
});

test('a change whose record was written, but neither answered nor found, is one that may have happened', async t => {
  const { engine } = server;
  const [put, check] = [engine.putObject.bind(engine), engine.checkWrite.bind(engine)];
  let isAway = false;
  const demandThere = (): void => {
    if (isAway) throw new SrvError('unavailable', 'the database is away');
  };
  t.mock.method(engine, 'putObject', async (...args: Parameters<typeof put>) => {
    const entry = await put(...args);
    isAway = args[2].startsWith(transactions);
    demandThere();
    return entry;
  });
  t.mock.method(engine, 'checkWrite', async (...args: Parameters<typeof check>) => {
    demandThere();
    return check(...args);
  });
  const { status, body, headers } = await transact([change('a', 'happened'), change('b', 'happened')]);
  t.mock.restoreAll();
  assert.deepEqual([status, headers['retry-after']], [503, '1'], body);
  assert.deepEqual((await valuesAt()).slice(0, 2), ['happened', 'happened']);
  assert.equal((await transact(tables.map(name => change(name, 'plain')))).status, 204);
});

test('every commit of the branch has all tables of a change, or none', async () => {
  const commits: string[] = [];
  const rounds = runCount(12, 60);
  let done = false;
  const writer = (async () => {
    for (let i = 10; i < 10 + rounds; i++) assert.equal((await transact(tables.map(name => change(name, String(i))))).status, 204);
    done = true;
  })();
  while (!done) {
    const made = await server.engine.commit('lake', 'main', { message: 'at any moment', committer: 'test' }).catch(() => undefined);
    if (made) commits.push(made.id);
  }
  await writer;
  assert.ok(commits.length > 0);
  for (const commit of commits) {
    const values = await valuesAt(commit);
    assert.equal(new Set(values).size, 1, `${commit}: ${values.join()}`);
  }
});

test('changes of the same tables by many clients come one after the other', async () => {
  const answers = await Promise.all(
    Array.from({ length: runCount(6, 24) }, async (_, i) => {
      for (;;) {
        const { status } = await transact([...tables].reverse().map(name => change(name, `client${i}`)));
        if (status !== 409) return status;
      }
    }),
  );
  assert.deepEqual(new Set(answers), new Set([204]));
  const values = await valuesAt();
  assert.equal(new Set(values).size, 1, values.join());
});

test('a change whose server ended before the record was written has not happened, one that ended after it has', async () => {
  const before = await valuesAt();
  const next = await readObject(pointer('b'));
  const put = (path: string, value: object) => server.engine.putObject('lake', 'main', path, Buffer.from(JSON.stringify(value)));
  const half = async (transaction: string): Promise<void> => {
    for (const name of ['a', 'c']) await put(pointer(name), { ...(await readObject(pointer(name))), pending: { ...next, transaction } });
  };
  assert.equal(
    (
      await server.call('POST', `${namespacePath('lake', 'main', 'sales')}/tables/b`, {
        body: { requirements: [], updates: change('b', 'marked').updates },
      })
    ).status,
    200,
  );
  const marked = await readObject(pointer('b'));
  for (const name of ['a', 'c'])
    await put(pointer(name), { ...(await readObject(pointer(name))), pending: { ...marked, transaction: 't1' } });
  assert.deepEqual(await valuesAt(), [before[0], 'marked', before[2]]);
  await put(`${transactions}t1`, { state: 'committed' });
  assert.deepEqual(await valuesAt(), ['marked', 'marked', 'marked']);
  // The next change of a table writes its pointer plainly.
  assert.equal((await transact([change('a', 'later')])).status, 204);
  assert.equal((await readObject(pointer('a')))['pending'], undefined);
  assert.deepEqual(await valuesAt(), ['later', 'marked', 'marked']);
  assert.equal((await transact(tables.map(name => change(name, 'plain')))).status, 204);
  await half('t2');
  await put(`${transactions}t2`, { state: 'aborted' });
  assert.deepEqual(await valuesAt(), ['plain', 'plain', 'plain']);
  assert.equal((await transact(tables.map(name => change(name, 'end')))).status, 204);
  assert.deepEqual(await valuesAt(), ['end', 'end', 'end']);
});

test('a transaction that was decided is answered so when its pointers cannot be written plainly, and that is logged', async t => {
  const { engine, kernel } = server;
  const messages: string[] = [];
  const log = { ...kernel.log, warn: (_: object, message: string) => void messages.push(message) };
  const files = new TableFiles(kernel.services.get('block'));
  const tables = new Tables({ engine, namespaces: new Namespaces(engine), files, locations: 'gateway', log });
  const put = engine.putObject.bind(engine);
  for (const [value, requirements] of [
    ['decided', []],
    ['refused', [{ type: 'assert-current-schema-id', 'current-schema-id': 7 }]],
  ] as const) {
    let isDecided = false;
    t.mock.method(engine, 'putObject', async (...args: Parameters<typeof put>) => {
      if (isDecided) throw new SrvError('unavailable', 'the database is gone');
      isDecided = args[2].startsWith(transactions);
      return put(...args);
    });
    const changes = ['a', 'b'].map(table => ({
      ...change(table, value),
      place: { repository: 'lake', ref: 'main', namespace: ['sales'], table },
      requirements: table === 'b' ? requirements : [],
    }));
    if (value === 'decided') await tables.commitAll(changes);
    else await assert.rejects(tables.commitAll(changes), { name: 'CatalogError', status: 409 });
    t.mock.restoreAll();
    assert.deepEqual(messages.splice(0), ['a transaction was not cleaned up after']);
    assert.deepEqual((await valuesAt()).slice(0, 2), ['decided', 'decided']);
  }
});

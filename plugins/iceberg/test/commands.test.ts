/** The commands against a server with tables. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createClient } from '@srv/lib-api/client';
import { faceKey } from '@srv/lib-api/testing';
import { fakeContext, runCommand } from '@srv/lib-commands/testing';
import { icebergCreateNamespace } from '../src/cli/create-namespace.js';
import { icebergDiff } from '../src/cli/diff.js';
import { icebergExpire } from '../src/cli/expire.js';
import { icebergHistory, icebergRollback } from '../src/cli/history.js';
import { icebergRegister } from '../src/cli/register.js';
import { icebergRewrite } from '../src/cli/rewrite.js';
import { icebergList, icebergShow } from '../src/cli/show.js';
import icebergOperations from '../src/operations.js';
import { located, mainText, namespacePath, schema, snapshotText, startCatalog } from './support/server.js';
import type { CommandInput } from '@srv/lib-commands';
import type { CatalogServer } from './support/server.js';

const commands = [
  icebergCreateNamespace,
  icebergList,
  icebergShow,
  icebergHistory,
  icebergRollback,
  icebergDiff,
  icebergExpire,
  icebergRegister,
  icebergRewrite,
];
let server: CatalogServer;
let client: ReturnType<typeof createClient>;
before(async () => {
  server = await startCatalog();
  client = createClient({ operations: icebergOperations, endpointUrl: server.url, ...faceKey, retries: { enabled: false } });
});
after(async () => {
  client.close();
  await server.stop();
});

async function run(name: string, ...args: readonly (string | CommandInput['options'])[]): Promise<string> {
  const texts = args.filter(arg => typeof arg === 'string');
  const options = args.find(arg => typeof arg !== 'string');
  const { text } = await runCommand(commands, fakeContext({}, { client: async () => client }), name, texts, options);
  return text.replaceAll(/[ \t]+/g, ' ');
}

const books = `${namespacePath('lake', 'main', 'sales')}/tables/books`;
const [first, second] = ['9223372036854775806', '9223372036854775807'];
const counted = (text: string, rows: number): string =>
  text.replace('"operation":"append"', `"operation":"append","total-records":"${rows}","total-data-files":"${rows / 10}"`);

test('a namespace is created, once, and its tables are listed and shown', async () => {
  assert.equal(await run('iceberg create-namespace', 'srv://lake/main/sales'), 'Created namespace sales');
  await assert.rejects(run('iceberg create-namespace', 'srv://lake/main/sales'), /Namespace already exists: sales/);
  await assert.rejects(run('iceberg create-namespace', 'srv://lake/none/sales'), /no branch, tag or commit none/);
  await server.call('POST', `${namespacePath('lake', 'main', 'sales')}/tables`, {
    body: { name: 'books', schema, 'partition-spec': { fields: [{ name: 'part', transform: 'bucket[4]', 'source-id': 7 }] } },
  });
  assert.match(await run('iceberg list', 'srv://lake/main'), /sales books/);
  const shown = await run('iceberg show', 'srv://lake/main/sales.books');
  assert.match(shown, /Partitioned by: part: bucket\[4\]/);
  assert.match(shown, /2 tags list<string> no/);
  await assert.rejects(run('iceberg show', 'srv://lake/main/sales.none'), /Table does not exist: sales.none/);
  await assert.rejects(run('iceberg show', 'srv://lake/main/books'), /books is not <namespace>.<table>/);
});

test('snapshots are listed with all digits, and an earlier one becomes the current one', async () => {
  const add = async (text: string, id: string) =>
    server.call('POST', books, { body: await located(server, books, `{"requirements":[],"updates":[${text},${mainText(id)}]}`) });
  assert.equal((await add(counted(snapshotText(first, 1), 10), first)).status, 200);
  assert.equal((await add(counted(snapshotText(second, 2, first), 20), second)).status, 200);
  const lines = (await run('iceberg history', 'srv://lake/main/sales/books')).split('\n');
  assert.match(lines.find(line => line.includes(second)) ?? '', /append 20 2 current/);
  assert.match(lines.find(line => line.includes(first)) ?? '', /append 10 1/);
  assert.equal(await run('iceberg rollback', 'srv://lake/main/sales.books', first), `sales.books is at snapshot ${first}`);
  await assert.rejects(run('iceberg rollback', 'srv://lake/main/sales.books', '5'), /the table has no snapshot 5/);
  await assert.rejects(run('iceberg rollback', 'srv://lake/main/sales.books', 'newest'), /newest is not the id of a snapshot/);
});

test('a comparison of two refs names tables with rows and files', async () => {
  await server.engine.commit('lake', 'main', { message: 'tables', committer: 'test' });
  await server.engine.createBranch('lake', 'work', 'main');
  const work = namespacePath('lake', 'work', 'sales');
  await server.call('POST', `${work}/tables/books`, { body: `{"requirements":[],"updates":[${mainText(second)}]}` });
  await server.call('POST', `${work}/tables`, { body: { name: 'new', schema } });
  await server.engine.commit('lake', 'work', { message: 'changed', committer: 'test' });
  const text = await run('iceberg diff', 'srv://lake/main', 'srv://lake/work');
  assert.match(text, /changed sales.books 10 → 20 1 → 2/);
  assert.match(text, /added sales.new none → 0/);
  await assert.rejects(run('iceberg diff', 'srv://lake/main', 'srv://other/work'), /must belong to the same repository/);
  const property = (ref: string) =>
    server.call('POST', `${namespacePath('lake', ref, 'sales')}/tables/books`, {
      body: { requirements: [], updates: [{ action: 'set-properties', updates: { owner: ref } }] },
    });
  for (const ref of ['main', 'work']) {
    await property(ref);
    await server.engine.commit('lake', ref, { message: 'owner', committer: 'test' });
  }
  const conflicting = await run('iceberg diff', 'srv://lake/main', 'srv://lake/work');
  assert.match(conflicting, /conflict sales.books/);
  assert.match(conflicting, /\nConflict: table sales.books: both changed the property owner$/);
});

test('old snapshots expire, but for those that branches and tags of the table keep', async () => {
  const sales = namespacePath('lake', 'main', 'sales');
  await server.call('POST', `${sales}/tables`, { body: { name: 'old', schema } });
  const old = `${sales}/tables/old`;
  const send = async (text: string) =>
    server.call('POST', old, { body: await located(server, old, `{"requirements":[],"updates":[${text}]}`) });
  for (let i = 1; i <= 6; i++) await send(`${snapshotText(String(i), i, i === 1 ? undefined : String(i - 1))},${mainText(String(i))}`);
  await send('{"action":"set-snapshot-ref","ref-name":"kept","type":"tag","snapshot-id":2}');
  const table = 'srv://lake/main/sales.old';
  assert.equal(await run('iceberg expire', table, { 'older-than': 480_000 * 3_600_000 }), 'Expired 0 of 6 snapshots');
  assert.equal(await run('iceberg expire', table, { 'retain-last': 2, 'dry-run': true }), 'Would expire 3 of 6 snapshots\n1\n3\n4');
  assert.equal(await run('iceberg expire', table, { 'retain-last': 2 }), 'Expired 3 of 6 snapshots\n1\n3\n4');
  assert.equal(await run('iceberg expire', table), 'Expired 1 of 3 snapshots\n5');
  assert.equal(await run('iceberg expire', table), 'Expired 0 of 2 snapshots');
  await send('{"action":"set-properties","updates":{"history.expire.min-snapshots-to-keep":"5"}}');
  await assert.rejects(run('iceberg expire', table, { 'retain-last': 0 }), /retain_last/);
  await assert.rejects(run('iceberg expire', 'srv://lake/main/sales.none'), /Table does not exist: sales.none/);
});

test('a table is registered from a metadata file, and from a table of another ref', async () => {
  const shown = await run('iceberg show', 'srv://lake/main/sales.books');
  const address = /Metadata file:? (\S+)/.exec(shown)?.[1] ?? assert.fail(shown);
  assert.equal(await run('iceberg register', 'srv://lake/main/sales.again', address), `Registered sales.again at ${address}`);
  await assert.rejects(run('iceberg register', 'srv://lake/main/sales.again', address), /Table already exists: sales.again/);
  assert.match(
    await run('iceberg register', 'srv://lake/main/sales.again', 'srv://lake/work/sales.new', { overwrite: true }),
    /Registered sales.again at/,
  );
  await assert.rejects(run('iceberg register', 'srv://lake/main/sales.x', 's3://lake/.tables/none.metadata.json'), /does not exist/);
  await assert.rejects(
    run('iceberg register', 'srv://lake/main/sales.x', 's3://other/t/v1.metadata.json'),
    /copy the files of the table there first/,
  );
});

/** Changes that would leave a table that no reader loads. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { located, namespacePath, schema, startCatalog } from './support/server.js';
import type { CatalogServer } from './support/server.js';

let server: CatalogServer;
const tables = `${namespacePath('lake', 'main', 'sales')}/tables`;
before(async () => {
  server = await startCatalog();
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'sales'] } });
});
after(() => server.stop());

let count = 0;
async function create(version: number): Promise<string> {
  const name = `t${++count}`;
  const { status, body } = await server.call('POST', tables, { body: { name, schema, properties: { 'format-version': String(version) } } });
  assert.equal(status, 200, body);
  return name;
}
async function send(name: string, change: string) {
  const table = `${tables}/${name}`;
  return server.call('POST', table, { body: await located(server, table, change) });
}
const commit = (name: string, updates: readonly unknown[]) => send(name, JSON.stringify({ requirements: [], updates }));

const field = (id: unknown, name: unknown, type: unknown = 'long') => ({ id, name, required: false, type });
const addSchema = (...fields: readonly unknown[]) => ({ action: 'add-schema', schema: { type: 'struct', fields } });
const addSpec = (...fields: readonly unknown[]) => ({ action: 'add-spec', spec: { fields } });
const addOrder = (order: object) => ({
  action: 'add-sort-order',
  'sort-order': { 'order-id': 1, fields: [{ transform: 'identity', ...order }] },
});
const summary = { operation: 'append' };
const list = '<location>/x.avro';
const snapshot = (members: object = {}) => ({
  action: 'add-snapshot',
  snapshot: { 'snapshot-id': 5, 'sequence-number': 1, 'timestamp-ms': 1_700_000_000_000, 'manifest-list': list, summary, ...members },
});
const setRef = (members: object = {}) => ({ action: 'set-snapshot-ref', 'ref-name': 'b', type: 'branch', 'snapshot-id': 5, ...members });
const statistics = (members: object = {}) => ({
  action: 'set-statistics',
  'snapshot-id': 5,
  statistics: {
    'snapshot-id': 5,
    'statistics-path': 's',
    'file-size-in-bytes': 1,
    'file-footer-size-in-bytes': 1,
    'blob-metadata': [],
    ...members,
  },
});

const refused: readonly (readonly [string, readonly unknown[], RegExp, number?])[] = [
  ['two fields of one name', [addSchema(field(1, 'a'), field(2, 'a'))], /two fields named a/],
  ['two fields of one id', [addSchema(field(1, 'a'), field(1, 'b'))], /the field id 1 twice/],
  ['an id twice, deep inside', [addSchema(field(1, 'a', { type: 'list', 'element-id': 1, element: 'int', 'element-required': true }))], /the field id 1 twice/],
  ['a field without a name', [addSchema(field(1, ''))], /needs a name/],
  ['an id that is a text', [addSchema(field('1', 'a'))], /the id 1 of field a is not a number/],
  ['an unknown type', [addSchema(field(1, 'a', 'quux'))], /type quux, which is not known/],
  ['a type that is a number', [addSchema(field(1, 'a', 7))], /type 7, which is not known/],
  ['a nested unknown type', [addSchema(field(1, 'a', { type: 'set' }))], /type set, which is not known/],
  ['a type of a later version', [addSchema(field(1, 'a', 'variant'))], /variant, which needs format version 3; the table has 2/],
  ['too many digits', [addSchema(field(1, 'a', 'decimal(39, 2)'))], /1 to 38 digits/],
  ['an identifier that is not there', [{ action: 'add-schema', schema: { type: 'struct', fields: [field(1, 'a')], 'identifier-field-ids': [4] } }], /identifier field 4/],
  ['a partition of no field', [addSpec({ 'source-id': 77, transform: 'identity', name: 'x' })], /id 77, which no schema has/],
  ['a bucket without width', [addSpec({ 'source-id': 1, transform: 'bucket[0]', name: 'x' })], /bucket\[0\].*needs a width/],
  ['two partitions of one name', [addSpec({ 'source-id': 1, transform: 'identity', name: 'x' }, { 'source-id': 1, transform: 'bucket[2]', name: 'x' })], /two fields named x/],
  ['two partitions of one id', [addSpec({ 'source-id': 1, 'field-id': 1000, transform: 'identity', name: 'x' }, { 'source-id': 1, 'field-id': 1000, transform: 'void', name: 'y' })], /field-id 1000/],
  ['an order of no field', [addOrder({ 'source-id': 77, direction: 'asc', 'null-order': 'nulls-first' })], /id 77/],
  ['an order without direction', [addOrder({ 'source-id': 1, direction: 'up', 'null-order': 'nulls-first' })], /direction up/],
  ['an order without a place for nulls', [addOrder({ 'source-id': 1, direction: 'asc' })], /null-order/],
  ['a negative sequence number', [snapshot({ 'sequence-number': -1 })], /sequence-number -1/],
  ['no sequence number', [snapshot({ 'sequence-number': undefined })], /needs a sequence-number/],
  ['no manifest list', [snapshot({ 'manifest-list': undefined })], /needs a manifest-list/],
  ['no summary', [snapshot({ summary: undefined })], /needs a summary/],
  ['a summary of numbers', [snapshot({ summary: { ...summary, 'added-records': 5 } })], /texts by name/],
  ['rows less than none', [snapshot({ 'first-row-id': 0, 'added-rows': -9 })], /added-rows -9/, 3],
  ['a tag named main', [snapshot(), setRef({ 'ref-name': 'main', type: 'tag' })], /main is a branch/],
  ['a branch that keeps nothing', [snapshot(), setRef({ 'min-snapshots-to-keep': 0 })], /min-snapshots-to-keep 0/],
  ['a negative age', [snapshot(), setRef({ 'max-ref-age-ms': -1 })], /max-ref-age-ms -1/],
  ['a tag with the rules of a branch', [snapshot(), setRef({ type: 'tag', 'min-snapshots-to-keep': 3 })], /not for tags/],
  ['statistics without a path', [snapshot(), statistics({ 'statistics-path': undefined })], /statistics-path/],
  ['statistics without a size', [snapshot(), statistics({ 'file-size-in-bytes': 'big' })], /file-size-in-bytes/],
]; // biome-ignore format: a table

for (const [what, updates, reason, version = 2] of refused)
  test(`a change is refused that brings ${what}`, async () => {
    const name = await create(version);
    const { status, body } = await commit(name, updates);
    assert.equal(status, 400, body);
    assert.match((JSON.parse(body) as { error: { message: string } }).error.message, reason);
    assert.equal((await commit(name, [{ action: 'set-properties', updates: { a: 'b' } }])).status, 200);
  });

test('integers beyond 64 bits are refused, those of 64 bits are kept', async () => {
  const name = await create(2);
  const text = (id: string) =>
    `{"requirements":[],"updates":[${JSON.stringify(snapshot({ 'snapshot-id': 0 })).replace('"snapshot-id":0', `"snapshot-id":${id}`)}]}`;
  assert.equal((await send(name, text('9223372036854775808'))).status, 400);
  const kept = await send(name, text('9223372036854775807'));
  assert.equal(kept.status, 200);
  assert.match(kept.body, /"snapshot-id":9223372036854775807/);
});

test('every part that readers know is taken', async () => {
  const name = await create(3);
  const types = ['boolean', 'int', 'long', 'float', 'double', 'decimal(38,9)', 'decimal( 9, 2 )', 'date', 'time', 'timestamp', 'timestamptz', 'timestamp_ns', 'timestamptz_ns', 'string', 'uuid', 'fixed[16]', 'binary', 'unknown', 'variant', 'geometry', 'geometry(srid:3857)', 'geography(srid:4326, karney)']; // biome-ignore format: a list of words
  const { status, body } = await commit(name, [
    addSchema(
      ...types.map((type, i) => field(i + 1, `f${i}`, type)),
      field(50, 'm', { type: 'map', 'key-id': 51, key: 'string', 'value-id': 52, value: 'long', 'value-required': false }),
    ),
    { action: 'set-current-schema', 'schema-id': -1 },
    addSpec(
      { 'source-id': 3, transform: 'bucket[16]', name: 'x' },
      { 'source-id': 14, transform: 'truncate[4]', name: 'y' },
      { 'source-id': 99, transform: 'void', name: 'gone' },
    ),
    addOrder({ 'source-id': 3, direction: 'desc', 'null-order': 'nulls-last' }),
    snapshot({ 'first-row-id': 0, 'added-rows': 2, 'parent-snapshot-id': null }),
    setRef({ 'min-snapshots-to-keep': 1, 'max-snapshot-age-ms': 1, 'max-ref-age-ms': null }),
    statistics(),
  ]);
  assert.equal(status, 200, body);
});

test('a new table is checked as changes are', async () => {
  const bad = await server.call('POST', tables, { body: { name: 'bad', schema: { type: 'struct', fields: [field(1, 'a', 'quux')] } } });
  assert.equal(bad.status, 400, bad.body);
  assert.match(bad.body, /type quux/);
});

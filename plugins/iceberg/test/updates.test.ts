/** Changes of the metadata of a table, without a server. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { emptyMetadata } from '../src/server/metadata/model.js';
import { applyUpdates } from '../src/server/metadata/updates.js';
import type { JsonObject } from '../src/server/exact-json.js';

const now = 2_000_000;
const field = { id: 1, name: 'a', type: 'int', required: false };
const snapshot = (id: number) => ({
  'snapshot-id': id,
  'sequence-number': id,
  'timestamp-ms': now,
  'manifest-list': `s3://lake/.tables/t/${id}.avro`,
  summary: { operation: 'append' },
  'schema-id': 0,
});
const head = (id: number) => ({ action: 'set-snapshot-ref', 'ref-name': 'main', type: 'branch', 'snapshot-id': id });
const file = (id: number) => ({
  'snapshot-id': id,
  'statistics-path': 's3://lake/.tables/t/1.puffin',
  'file-size-in-bytes': 1,
  'file-footer-size-in-bytes': 1,
  'blob-metadata': [],
});

const creation: readonly JsonObject[] = [
  { action: 'add-schema', schema: { type: 'struct', fields: [field] } },
  { action: 'set-current-schema', 'schema-id': -1 },
  { action: 'add-spec', spec: { fields: [] } },
  { action: 'set-default-spec', 'spec-id': -1 },
  { action: 'add-sort-order', 'sort-order': { fields: [] } },
  { action: 'set-default-sort-order', 'sort-order-id': -1 },
  { action: 'add-snapshot', snapshot: snapshot(1) },
  { action: 'add-snapshot', snapshot: snapshot(2) },
  head(2),
  { action: 'set-properties', updates: { owner: 'ann', kind: 'x' } },
  { action: 'set-statistics', statistics: file(2) },
];

const changes: readonly JsonObject[] = [
  { action: 'add-schema', schema: { type: 'struct', fields: [field, { ...field, id: 2, name: 'b' }] } },
  { action: 'set-current-schema', 'schema-id': -1 },
  { action: 'add-spec', spec: { fields: [{ name: 'a', transform: 'identity', 'source-id': 1 }] } },
  {
    action: 'add-sort-order',
    'sort-order': { fields: [{ transform: 'identity', 'source-id': 1, direction: 'asc', 'null-order': 'nulls-first' }] },
  },
  { action: 'add-snapshot', snapshot: { ...snapshot(3), 'parent-snapshot-id': 2 } },
  head(3),
  { action: 'set-snapshot-ref', 'ref-name': 'old', type: 'tag', 'snapshot-id': 2 },
  { action: 'remove-snapshot-ref', 'ref-name': 'old' },
  { action: 'remove-snapshots', 'snapshot-ids': [1] },
  { action: 'set-properties', updates: { owner: 'bob' } },
  { action: 'remove-properties', removals: ['kind'] },
  { action: 'set-statistics', statistics: file(3) },
  { action: 'remove-statistics', 'snapshot-id': 2 },
  { action: 'remove-schemas', 'schema-ids': [0] },
];

it('changes leave the table that they begin with as it was', () => {
  const table = applyUpdates(emptyMetadata('s3://lake/.tables/t', '7e4b1d56-0000-4000-8000-000000000000'), creation, { isNew: true, now });
  const before = structuredClone(table);
  const changed = applyUpdates(frozen(table), frozen(changes), { isNew: false, now });
  assert.deepEqual(table, before);
  assert.deepEqual(
    changed.snapshots.map(one => one['snapshot-id']),
    [2, 3],
  );
  assert.deepEqual([changed.properties, changed['current-schema-id'], changed.schemas.length], [{ owner: 'bob' }, 1, 1]);
});

/** What throws where it is changed, at any level. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) for (const member of Object.values(Object.freeze(value))) frozen(member);
  return value;
}

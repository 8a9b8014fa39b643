/** Hostile requests and metadata files: refused with words, never a fault of the server. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runCount } from '@srv/kernel/testing';
import fc from 'fast-check';
import { namespacePath, schema, snapshotText, startCatalog } from './support/server.js';
import type { CatalogServer } from './support/server.js';

const seed = Number(process.env['SRV_TEST_SEED'] ?? Date.now() % 2 ** 31);
const requests = runCount(1500, 5000);
const files = runCount(500, 1000);

let server: CatalogServer;
const sales = namespacePath('lake', 'main', 'sales');
before(async () => {
  server = await startCatalog();
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'sales'] } });
  await server.call('POST', `${sales}/tables`, { body: { name: 'books', schema } });
});
after(() => server.stop());

const words = [
  'namespace', 'name', 'schema', 'fields', 'type', 'struct', 'list', 'map', 'id', 'element', 'element-id', 'requirements', 'updates', 'action',
  'add-schema', 'set-current-schema', 'add-snapshot', 'snapshot', 'snapshot-id', 'set-snapshot-ref', 'ref-name', 'main', 'remove-snapshots',
  'snapshot-ids', 'set-properties', 'removals', 'properties', 'location', 'metadata-location', 'format-version', 'source', 'destination',
  'table-changes', 'identifier', 'stage-create', 'partition-spec', 'spec', 'sort-order', 'assert-create', 'assert-table-uuid', '__proto__',
  'constructor', 'toString', 'lake', 'sales', 'books', '..', '', 'schema-id', 'spec-id', 'last-column-id', 'timestamp-ms', 'sequence-number',
] as const; // biome-ignore format: a list of words
const word = fc.constantFrom(...words);
const leaf = fc.oneof(word, fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.bigInt().map(String));
const value = fc.letrec(tie => ({
  any: fc.oneof({ depthSize: 'medium' }, leaf, fc.array(tie('any'), { maxLength: 4 }), fc.dictionary(word, tie('any'), { maxKeys: 6 })),
})).any;
const text = fc.oneof(
  value.map(v => JSON.stringify(v)),
  fc.string(),
  fc.constantFrom('['.repeat(200_000), '{"a":'.repeat(50_000), '1e400', '-0', `{"requirements":[],"updates":[${snapshotText('1', 1)}]}`),
);
const segment = fc.oneof(word.map(encodeURIComponent), fc.constantFrom('lake%1Fmain%1Fsales', '%00', '%', '..', '%2F', '%FF', 'a%1F%1Fb'));
const path = fc.oneof(
  fc.constantFrom(
    '/namespaces',
    `${sales}/tables`,
    `${sales}/tables/books`,
    `${sales}/properties`,
    `${sales}/register`,
    '/tables/rename',
    '/transactions/commit',
  ),
  fc.array(segment, { minLength: 1, maxLength: 6 }).map(parts => `/namespaces/${parts.join('/')}`),
  fc.array(segment, { maxLength: 5 }).map(parts => `/iceberg/relative_to/${parts.join('/')}`),
);

test(`${requests} requests of any shape get no 5xx (seed ${seed})`, async () => {
  const request = fc.record({ method: fc.constantFrom('GET', 'POST', 'DELETE', 'HEAD', 'PUT'), path, body: fc.option(text) });
  for (const { method, path: target, body } of fc.sample(request, { numRuns: requests, seed })) {
    const answer = await server.call(method, target, body === null ? {} : { body });
    // The HTTP API answers 501 to addresses of catalogs that this one does not know.
    assert.ok(
      answer.status < 500 || (answer.status === 501 && !/\/api\/v1(\/|$)/.test(target)),
      `${method} ${target} ${String(body).slice(0, 500)}\n${answer.status} ${answer.body}`,
    );
  }
  assert.equal((await server.call('GET', '/namespaces')).status, 200);
});

test(`${files} metadata files of any shape are read or refused, and their tables changed or not (seed ${seed})`, async () => {
  const own = namespacePath('lake', 'main', 'files');
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'files'] } });
  const { body: created } = await server.call('POST', `${own}/tables`, { body: { name: 'base', schema } });
  const { metadata, 'metadata-location': address } = JSON.parse(created) as {
    metadata: Record<string, unknown>;
    'metadata-location': string;
  };
  const file = address.slice('s3://lake/.tables/'.length).replace(/[^/]*$/, '00009-hostile.metadata.json');
  const pointer = { namespace: 'local://lake', identifier: `tables/${file}`, identifierType: 1 } as const;
  const members = [...Object.keys(metadata), ...words];
  const content = fc.oneof(
    fc.dictionary(fc.constantFrom(...members), value, { maxKeys: 4 }).map(changes => JSON.stringify({ ...metadata, ...changes })),
    text,
  );
  const register = { name: 'hostile', 'metadata-location': address.replace(/[^/]*$/, '00009-hostile.metadata.json'), overwrite: true };
  for (const body of fc.sample(content, { numRuns: files, seed })) {
    await server.kernel.services.get('block').put(pointer, Buffer.from(body));
    const answers = [
      await server.call('POST', `${own}/register`, { body: register }),
      await server.call('GET', `${own}/tables/hostile?snapshots=refs`),
      await server.call('POST', `${own}/tables/hostile`, {
        body: { requirements: [], updates: [{ action: 'set-properties', updates: { a: 'b' } }] },
      }),
    ];
    for (const answer of answers) assert.ok(answer.status < 500, `${body.slice(0, 2000)}\n${answer.status} ${answer.body}`);
  }
});

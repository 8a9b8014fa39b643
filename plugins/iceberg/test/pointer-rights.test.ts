/** Pointers that are written as objects, past the catalog. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addUser, namespacePath, schema, startCatalog } from './support/server.js';
import type { CatalogServer } from './support/server.js';

let server: CatalogServer;
before(async () => {
  server = await startCatalog();
  await server.call('POST', '/namespaces', { body: { namespace: ['lake', 'main', 'mine'] } });
});
after(() => server.stop());

test('a user who may not write the objects of the catalog changes tables, and makes no pointer past it', async () => {
  const statements = [
    { action: ['catalog:*'], resource: 'arn:lakefs:catalog:::table/lake/mine/*' },
    { action: ['fs:ReadObject', 'fs:WriteObject'], resource: 'arn:lakefs:fs:::repository/lake/object/*' },
  ];
  const token = await addUser(server, 'writer', statements);
  const auth = server.kernel.services.get('auth');
  const resource = 'arn:lakefs:fs:::repository/lake/object/_lakefs_tables/iceberg/*';
  await auth.createPolicy('no-pointers', [{ effect: 'deny', action: ['fs:WriteObject'], resource }]);
  await auth.attachToUser('writer', 'no-pointers');
  const tables = `${namespacePath('lake', 'main', 'mine')}/tables`;
  assert.equal((await server.call('POST', tables, { token, body: { name: 't', schema } })).status, 200);
  const change = { requirements: [], updates: [{ action: 'set-properties', updates: { n: '1' } }] };
  assert.equal((await server.call('POST', `${tables}/t`, { token, body: change })).status, 200);
  const put = (path: string) =>
    server.call('POST', `/api/v1/repositories/lake/branches/main/objects?path=${encodeURIComponent(path)}`, {
      token,
      body: '{}',
      headers: { 'content-type': 'application/octet-stream' },
    });
  assert.equal((await put('plain')).status, 201);
  for (const name of ['t', 'x']) assert.equal((await put(`_lakefs_tables/iceberg/namespaces/mine/tables/${name}`)).status, 401, name);
});

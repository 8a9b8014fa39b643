/** The operations of the API, called by the typed client on a whole server. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ApiError, createClient } from '@srv/lib-api/client';
import { startSrv } from '@srv/test-servers';
import operations from '../src/operations.js';

const refused = (status: number) => (error: unknown) => error instanceof ApiError && error.status === status;

it('starts an import, reports its progress, and refuses to cancel one that has completed', async t => {
  const { url, kernel, folder, key, stop } = await startSrv({ plugins: ['import'] });
  t.after(stop);
  const client = createClient({ operations, endpointUrl: url, retries: { enabled: false }, ...key });
  t.after(() => client.close());
  const engine = kernel.services.get('engine');
  await engine.createRepository({ id: 'lakes', storageNamespace: 'local://lakes' });
  const outside = join(folder, 'outside', 'set');
  await mkdir(outside, { recursive: true });
  for (const name of ['1', '2', '3']) await writeFile(join(outside, name), name);
  const path = `${pathToFileURL(outside).href.replace('file:', 'local:')}/`;
  const main = { repository: 'lakes', branch: 'main' };
  const source = { type: 'common_prefix' as const, path, destination: 'imported/' };
  const { status, data } = await client.call('importStart', { ...main, body: { paths: [source], commit: { message: 'from outside' } } });
  assert.equal(status, 202);
  let found = await client.importStatus({ ...main, id: data.id });
  while (!found.completed) {
    await sleep(20);
    found = await client.importStatus({ ...main, id: data.id });
  }
  assert.deepEqual([found.error, found.ingested_objects, found.commit?.message], [undefined, 3, 'from outside']);
  const { results } = await engine.list('lakes', 'main', { prefix: 'imported/' });
  assert.deepEqual(
    results.map(item => item.path),
    ['imported/1', 'imported/2', 'imported/3'],
  );
  const missing = { type: 'object' as const, path: `${path}none`, destination: 'x' };
  const failing = await client.call('importStart', { ...main, body: { paths: [missing], commit: { message: 'never' } } });
  let failed = await client.importStatus({ ...main, id: failing.data.id });
  while (!failed.error) {
    await sleep(20);
    failed = await client.importStatus({ ...main, id: failing.data.id });
  }
  assert.equal(failed.completed, false);
  assert.match(failed.error.message, /import source .*none: no such object; check its path/);
  await assert.rejects(client.importCancel({ ...main, id: data.id }), refused(409));
  await assert.rejects(client.importStatus({ ...main, id: 'coddo7tpocvs73ftd7u0' }), refused(404));
});

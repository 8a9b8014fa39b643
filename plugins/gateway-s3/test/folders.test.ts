/** Files beside the refs, written through a server that has not noticed a move of the storage. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '@srv/kernel/testing';
import { withFolders } from '../src/server/folders.js';
import { createRepository, startServer } from './support/server.js';

it('a file in a folder is in the new namespace, or refused until it is', async t => {
  const server = await startServer({ 'graveler.reposiory_cache.ttl': '30ms', 'graveler.reposiory_cache.jitter': '0s' });
  t.after(() => server.stop());
  const [engine, block] = [server.kernel.services.get('engine'), server.kernel.services.get('block')];
  await createRepository(server, 'repo');
  const before = await engine.getRepository('repo');
  const at = (repository: typeof before) =>
    withFolders({ ...engine, getRepository: async () => repository }, block, new Map([['.tables', 'tables/']]));
  await engine.startStorageMove('repo', { storageId: '', storageNamespace: 'local://elsewhere' });
  await until(async () => (await engine.storageMove('repo')).phase === 'done');
  const put = (repository: typeof before) => at(repository).putObject('repo', '.tables', 'a/b', Buffer.from('file'));
  await assert.rejects(put(before), { code: 'moving' });
  const { physicalAddress } = await put(await engine.getRepository('repo'));
  assert.match(physicalAddress, /elsewhere\/tables\/a\/b$/);
});

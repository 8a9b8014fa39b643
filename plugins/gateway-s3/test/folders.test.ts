/** Files beside the refs, written through a server that has not noticed a move of the storage. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '@srv/kernel/testing';
import { withFolders } from '../src/server/folders.js';
import { createRepository, startServer } from './support/server.js';
import type { Engine } from '@srv/engine/contract';
import type { WalkOptions } from '@srv/lib-stores/block';

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

it('a listing takes from the store what its walk says, from where the page begins', async t => {
  const server = await startServer();
  t.after(() => server.stop());
  const [engine, block] = [server.kernel.services.get('engine'), server.kernel.services.get('block')];
  await createRepository(server, 'repo');
  const files = withFolders(engine, block, new Map([['.tables', 'tables/']]));
  const paths = ['a/1', 'a/2', 'a/3', 'a/4/x', 'b/1'];
  for (const path of paths) await files.putObject('repo', '.tables', path, Buffer.from(path));
  const entries = await Promise.all(paths.map(path => files.getEntry('repo', '.tables', path)));

  const walk = block.walk.bind(block);
  const properties = t.mock.method(block, 'properties');
  const starts: unknown[] = [];
  /** Stores that need not read objects for their etags always give them. */
  const walking = (etags?: boolean): void => {
    starts.length = 0;
    properties.mock.resetCalls();
    t.mock.method(block, 'walk', (uri: string, options: WalkOptions) => {
      starts.push(options.after);
      return walk(uri, { ...options, ...(etags === undefined ? {} : { etags }) });
    });
  };
  const list = async (request: Parameters<Engine['list']>[2]): Promise<readonly unknown[]> =>
    (await files.list('repo', '.tables', request)).results.map(found => ('entry' in found ? found.entry : found.path));

  walking(true);
  assert.deepEqual(await list({}), entries);
  assert.deepEqual(await list({ prefix: 'a/', after: 'a/1', amount: 2 }), entries.slice(1, 3));
  assert.deepEqual(await list({ prefix: 'a/', after: 'a/2', delimiter: '/' }), [entries[2], 'a/4/']);
  assert.deepEqual(await list({ prefix: 'a/', after: 'a' }), entries.slice(0, 4));
  assert.deepEqual(await list({ prefix: 'a/', after: 'b' }), []);
  assert.deepEqual([properties.mock.callCount(), starts], [0, ['', '1', '2', '', '']]);

  walking();
  assert.deepEqual(await list({ after: 'a/1', amount: 2 }), entries.slice(1, 3));
  assert.deepEqual([properties.mock.callCount(), starts], [2, ['a/1']]);
});

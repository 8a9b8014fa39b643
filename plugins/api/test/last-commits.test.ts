import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiError } from '@srv/engine/client';
import { startWholeServer } from './support/whole-server.js';
import type { WholeServer } from './support/whole-server.js';

describe('last commits of paths by the API', () => {
  let server: WholeServer;
  before(async () => {
    server = await startWholeServer();
    await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
  });
  after(() => server.stop());

  it('are answered for objects and folders, and too many paths are refused with the number', async () => {
    const { admin } = server;
    const at = { repository: 'lakes', branch: 'main' };
    await admin.uploadObject({ ...at, path: 'a', body: '1' });
    const first = await admin.commit({ ...at, body: { message: 'first' } });
    await admin.uploadObject({ ...at, path: 'f/ü', body: '1' });
    const second = await admin.commit({ ...at, body: { message: 'second' } });
    await admin.uploadObject({ ...at, path: 'a', body: 'not committed' });
    const find = (paths: readonly string[], ref = 'main') => admin.findLastCommits({ repository: 'lakes', ref, body: { paths } });
    const { results, whole } = await find(['a', 'f/', 'f/ü', 'none']);
    assert.deepEqual(
      results.map(({ path, commit }) => [path, commit.id, commit.message]).toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
      [
        ['a', first.id, 'first'],
        ['f/', second.id, 'second'],
        ['f/ü', second.id, 'second'],
      ],
    );
    assert.equal(whole, true);
    assert.deepEqual((await find(['f/'], 'main~1')).results, []);
    const refused = (status: number, message: RegExp) => (error: unknown) =>
      error instanceof ApiError && error.status === status && message.test(error.message);
    await assert.rejects(find(Array.from({ length: 201 }, (_, i) => `p${i}`)), refused(400, /paths: 201 are too many; ask for up to 200/));
    await assert.rejects(find([]), refused(400, /paths/));
    await assert.rejects(find(['a'], 'gone'), refused(404, /not found/));
  });
});

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startServer } from './support/server.js';
import type { TestServer } from './support/server.js';

describe('a day with the client', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());

  it('creates, commits, branches, merges and reads back', async () => {
    const { admin } = server;
    const created = await admin.createRepository({ body: { name: 'lakes', storage_namespace: 'mem://bucket/lakes' } });
    assert.equal(created.default_branch, 'main');
    const main = await admin.getBranch({ repository: 'lakes', branch: 'main' });
    const id = await admin.createBranch({ repository: 'lakes', body: { name: 'dev', source: 'main' } });
    assert.equal(id, main.commit_id);
    const stats = await admin.uploadObject(
      { repository: 'lakes', branch: 'dev', path: 'a/b c.txt', body: 'hello' },
      { headers: { 'content-type': 'text/plain', 'x-lakefs-meta-Color': 'blue' } },
    );
    assert.equal(stats.checksum, '5d41402abc4b2a76b9719d911017c592');
    assert.deepEqual(stats.metadata, { color: 'blue' });
    assert.equal(stats.content_type, 'text/plain');
    const changes = await admin.diffBranch({ repository: 'lakes', branch: 'dev' });
    assert.deepEqual(changes.results, [{ type: 'added', path: 'a/b c.txt', path_type: 'object', size_bytes: 5 }]);
    const commit = await admin.commit({ repository: 'lakes', branch: 'dev', body: { message: 'one' } });
    assert.equal(commit.committer, 'admin');
    const { reference } = await admin.mergeIntoBranch({ repository: 'lakes', sourceRef: 'dev', destinationBranch: 'main' });
    assert.equal((await admin.getBranch({ repository: 'lakes', branch: 'main' })).commit_id, reference);
    const { body, headers } = await admin.getObject({ repository: 'lakes', ref: 'main', path: 'a/b c.txt' });
    assert.equal(headers.etag, '"5d41402abc4b2a76b9719d911017c592"');
    const chunks = await body.toArray();
    assert.equal(Buffer.concat(chunks).toString(), 'hello');
    const log = await admin.logCommits({ repository: 'lakes', ref: 'main', amount: 1 });
    assert.equal(log.results[0]?.id, reference);
  });

  it('begins with sample data where that is asked for', async () => {
    const { admin } = server;
    const at = { repository: 'tour' };
    await admin.createRepository({ body: { name: 'tour', storage_namespace: 'mem://bucket/tour', sample_data: true } });
    const { results } = await admin.listObjects({ ...at, ref: 'main' });
    assert.deepEqual(
      results.map(({ path }) => path),
      ['README.md', 'data/lakes.csv', 'images/baikal.svg', 'images/depths.svg', 'images/loch-ness.svg', 'lakes.parquet'],
    );
    const read = async (path: string): Promise<Buffer> =>
      Buffer.concat(await (await admin.getObject({ ...at, ref: 'main', path })).body.toArray());
    assert.match((await read('README.md')).toString(), /^# Welcome to the Lake!\n/);
    const table = await read('lakes.parquet');
    assert.deepEqual([table.subarray(0, 4).toString(), table.subarray(-4).toString()], ['PAR1', 'PAR1']);
    assert.deepEqual((await admin.diffBranch({ ...at, branch: 'main' })).results, []);
  });
});

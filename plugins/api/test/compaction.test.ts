import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiError } from '@srv/engine/client';
import { until } from '@srv/kernel/testing';
import { startWholeServer } from './support/whole-server.js';
import type { WholeServer } from './support/whole-server.js';

/** More than one read may step over here. */
const deletions = 600;

describe('compaction of a branch', () => {
  let server: WholeServer;
  before(async () => {
    server = await startWholeServer({ settings: { 'branches.compact_after': 500 } });
    await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
  });
  after(() => server.stop());

  const main = { repository: 'lakes', branch: 'main' };
  const listed = async (request: { after?: string; delimiter?: string } = {}) =>
    (await server.admin.listObjects({ repository: 'lakes', ref: 'main', ...request })).results.map(({ path }) => path);

  it('changes nothing but where a branch is read from, and ends with the commit', async () => {
    const { admin } = server;
    for (const path of ['folder/a', 'folder/b', 'other']) await admin.uploadObject({ ...main, path, body: path });
    await admin.commit({ ...main, body: { message: 'three' } });
    await admin.deleteObject({ ...main, path: 'folder/a' });
    await admin.uploadObject({ ...main, path: 'other', body: 'changed' });
    assert.deepEqual(await admin.getBranchCompaction(main), { compacted: false });
    await admin.compactBranch(main);
    await until(async () => (await admin.getBranchCompaction(main)).compacted);
    assert.match((await admin.getBranchCompaction(main)).meta_range_id ?? '', /^[0-9a-f]{64}$/);
    assert.deepEqual(await listed(), ['folder/b', 'other']);
    const { body } = await admin.getObject({ repository: 'lakes', ref: 'main', path: 'other' });
    assert.equal(Buffer.concat(await body.toArray()).toString(), 'changed');
    const { results } = await admin.diffBranch(main);
    assert.deepEqual(
      results.map(({ type, path }) => `${type} ${path}`),
      ['removed folder/a', 'changed other'],
    );
    await admin.commit({ ...main, body: { message: 'two changes' } });
    assert.deepEqual(await admin.getBranchCompaction(main), { compacted: false });
    assert.deepEqual(await listed(), ['folder/b', 'other']);
  });

  it('begins when a listing steps over many deletions', async () => {
    const { admin } = server;
    const { physical_address, checksum } = await admin.statObject({ repository: 'lakes', ref: 'main', path: 'other' });
    const paths = Array.from({ length: deletions }, (_, i) => `many/${String(i).padStart(5, '0')}`);
    for (let at = 0; at < deletions; at += 200)
      await Promise.all(
        paths.slice(at, at + 200).map(path => admin.stageObject({ ...main, path, body: { physical_address, checksum, size_bytes: 7 } })),
      );
    await admin.commit({ ...main, body: { message: 'many' } });
    for (let at = 0; at < deletions; at += 200) await admin.deleteObjects({ ...main, body: { paths: paths.slice(at, at + 200) } });
    assert.deepEqual(await admin.getBranchCompaction(main), { compacted: false });
    assert.deepEqual(await listed({ delimiter: '/' }), ['folder/', 'other']);
    await until(async () => (await admin.getBranchCompaction(main)).compacted);
    assert.deepEqual(await listed({ delimiter: '/' }), ['folder/', 'other']);
    await admin.uploadObject({ ...main, path: 'many/00400', body: 'back' });
    assert.deepEqual(await listed({ delimiter: '/' }), ['folder/', 'many/', 'other']);
  });

  it('answers 404 for a branch that does not exist', async () => {
    const { admin } = server;
    const missing = { repository: 'lakes', branch: 'missing' };
    const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404;
    await assert.rejects(admin.compactBranch(missing), isMissing);
    await assert.rejects(admin.getBranchCompaction(missing), isMissing);
  });
});

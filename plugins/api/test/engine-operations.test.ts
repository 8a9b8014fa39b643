import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ApiError } from '@srv/engine/client';
import { commitId } from '@srv/engine/refs/messages';
import { until } from '@srv/kernel/testing';
import { startWholeServer } from './support/whole-server.js';
import type { Client } from '@srv/engine/client';
import type { WholeServer } from './support/whole-server.js';

const refused = (status: number, message: RegExp) => (error: unknown) =>
  error instanceof ApiError && error.status === status && message.test(error.message);
const main = { repository: 'lakes', branch: 'main' };
const pathsAt = async (client: Client, prefix = ''): Promise<string[]> =>
  (await client.listObjects({ repository: 'lakes', ref: 'main', prefix })).results.map(({ path }) => path);

describe('operations on the whole of a branch', () => {
  let server: WholeServer;
  before(async () => {
    server = await startWholeServer({ mode: 'internal' });
    await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    for (const path of ['table/a=1/x', 'table/a=1/y', 'table/a=2/z', 'table/top', 'other/o']) {
      await server.admin.uploadObject({ ...main, path, body: path });
    }
  });
  after(() => server.stop());

  it('writes the addresses of every directory', async () => {
    const { admin } = server;
    const { status, data } = await admin.call('createSymlinkFile', { ...main, location: 'table' });
    assert.equal(status, 201);
    const folder = join(server.folder, 'block', 'lakes', 'symlinks', 'lakes', 'main');
    assert.match(data.location, /lakes\/symlinks$/);
    const linked = async (directory: string): Promise<string[]> =>
      (await readFile(join(folder, directory, 'symlink.txt'), 'utf8')).trimEnd().split('\n');
    const address = async (path: string) => (await admin.statObject({ repository: 'lakes', ref: 'main', path })).physical_address;
    assert.deepEqual(await linked('table/a=1'), [await address('table/a=1/x'), await address('table/a=1/y')]);
    assert.deepEqual(await linked('table/a=2'), [await address('table/a=2/z')]);
    assert.deepEqual(await linked('table'), [await address('table/top')]);
    await assert.rejects(readFile(join(folder, 'other', 'symlink.txt')), { code: 'ENOENT' });
    assert.equal((await admin.call('createSymlinkFile', { ...main, location: 'nothing/here' })).status, 201);
    await assert.rejects(admin.createSymlinkFile({ repository: 'lakes', branch: 'none' }), refused(404, /none/));
  });

  it('copies and moves prefixes', async () => {
    const { admin } = server;
    assert.deepEqual(await admin.copyPrefix({ ...main, body: { from: 'table/a=1/', to: 'copy/' } }), { objects: 2 });
    assert.deepEqual(await pathsAt(admin, 'copy/'), ['copy/x', 'copy/y']);
    assert.deepEqual(await admin.copyPrefix({ ...main, body: { from: 'copy/', to: 'moved/', move: true } }), { objects: 2 });
    assert.deepEqual(await pathsAt(admin, 'copy/'), []);
    assert.deepEqual(await pathsAt(admin, 'moved/'), ['moved/x', 'moved/y']);
    await assert.rejects(admin.copyPrefix({ ...main, body: { from: 'none/', to: 'x/' } }), refused(404, /none/));
    await assert.rejects(admin.copyPrefix({ ...main, body: { from: 'a', to: 'a' } }), refused(400, /same/));
  });

  it('copies and moves single objects, and copies from other refs, without their bytes', async () => {
    const { admin } = server;
    const address = async (path: string, repository = 'lakes') =>
      (await admin.statObject({ repository, ref: 'main', path })).physical_address;
    const body = { from: 'table/top', to: 'single/top', exact: true };
    assert.deepEqual(await admin.copyPrefix({ ...main, body }), { objects: 1 });
    assert.equal(await address('single/top'), await address('table/top'));
    await admin.copyPrefix({ ...main, body: { from: 'single/top', to: 'single/topmost', exact: true, move: true } });
    assert.deepEqual(await pathsAt(admin, 'single/'), ['single/topmost']);
    await assert.rejects(admin.copyPrefix({ ...main, body: { from: 'single/', to: 'x', exact: true } }), refused(404, /"single\/"/));
    await admin.createBranch({ repository: 'lakes', body: { name: 'elsewhere', source: 'main' } });
    await admin.uploadObject({ repository: 'lakes', branch: 'elsewhere', path: 'new/a', body: 'a' });
    assert.deepEqual(await admin.copyPrefix({ ...main, body: { from: 'new/', to: 'taken/', src_ref: 'elsewhere' } }), { objects: 1 });
    assert.deepEqual(await pathsAt(admin, 'taken/'), ['taken/a']);
    await assert.rejects(
      admin.copyPrefix({ ...main, body: { from: 'new/', to: 'taken/', src_ref: 'elsewhere', move: true } }),
      refused(400, /copy from elsewhere/),
    );
  });

  it('lists repositories with their number and their metadata, as far as the caller may see them', async () => {
    const { admin } = server;
    for (const name of ['counted-1', 'counted-2', 'counted-3'])
      await admin.createRepository({ body: { name, storage_namespace: `local://${name}` } });
    await admin.setRepositoryMetadata({ repository: 'counted-1', body: { metadata: { owner: 'ann' } } });
    const page = await admin.listRepositories({ prefix: 'counted-', amount: 2, include_total: true, include_metadata: true });
    assert.deepEqual([page.results.map(({ metadata }) => metadata), page.total], [[{ owner: 'ann' }, {}], 3]);
    const plain = await admin.listRepositories({ prefix: 'counted-' });
    assert.deepEqual(['total' in plain, plain.results.some(item => 'metadata' in item)], [false, false]);
    const { total } = await admin.listRepositories({ search: 'ted-3', after: 'counted-3', include_total: true });
    assert.equal(total, 1);
  });

  it('copies objects of other repositories to those who may read them there', async () => {
    const { admin } = server;
    await admin.createRepository({ body: { name: 'rivers', storage_namespace: 'local://rivers' } });
    const body = { src_repo: 'lakes', src_ref: 'main', src_path: 'table/a=1/x' };
    const rivers = { repository: 'rivers', branch: 'main' };
    const copied = await admin.copyObject({ ...rivers, dest_path: 'from/lakes', body });
    assert.match(copied.physical_address, /rivers/);
    await assert.rejects(
      admin.copyObject({ ...rivers, dest_path: 'x', body: { src_repo: 'lakes', src_path: 'table/a=1/x' } }),
      refused(400, /src_ref/),
    );
    await admin.createPolicy({
      body: { id: 'Rivers', statement: [{ effect: 'allow', action: ['fs:*'], resource: 'arn:lakefs:fs:::repository/rivers*' }] },
    });
    await admin.createUser({ body: { id: 'rafter' } });
    await admin.attachPolicyToUser({ userId: 'rafter', policyId: 'Rivers' });
    const key = await admin.createCredentials({ userId: 'rafter' });
    const rafter = server.client({ accessKeyId: key.access_key_id, secretAccessKey: key.secret_access_key });
    await assert.rejects(rafter.copyObject({ ...rivers, dest_path: 'stolen', body }), refused(401, /fs:ReadObject/));
    await rafter.copyObject({ ...rivers, dest_path: 'own', body: { src_path: 'from/lakes' } });
  });

  it('resets one object or a prefix only where the path is given', async () => {
    const { admin } = server;
    await admin.createBranch({ repository: 'lakes', body: { name: 'reset', source: 'main' } });
    const branch = { repository: 'lakes', branch: 'reset' };
    const left = async () =>
      (await admin.listObjects({ repository: 'lakes', ref: 'reset', prefix: 'reset/' })).results.map(({ path }) => path);
    for (const path of ['reset/a', 'reset/b']) await admin.uploadObject({ ...branch, path, body: path });
    for (const type of ['object', 'common_prefix'] as const)
      await assert.rejects(
        admin.resetBranch({ ...branch, body: { type } }),
        refused(400, new RegExp(`argument path: required value.* name the ${type} to reset; the type reset is for all`)),
      );
    await assert.rejects(admin.resetBranch({ ...branch, body: { type: 'object', path: '' } }), refused(400, /argument path/));
    assert.deepEqual(await left(), ['reset/a', 'reset/b']);
    await admin.resetBranch({ ...branch, body: { type: 'common_prefix', path: 'reset/b' } });
    assert.deepEqual(await left(), ['reset/a']);
    await admin.resetBranch({ ...branch, body: { type: 'common_prefix', path: '' } });
    assert.deepEqual(await left(), []);
  });

  it('asks for every object below a prefix, also for those that appear meanwhile', async t => {
    const { admin } = server;
    const resource = 'arn:lakefs:fs:::repository/lakes';
    await admin.createPolicy({
      body: {
        id: 'AllButZ',
        statement: [
          { effect: 'allow', action: ['fs:*'], resource: `${resource}*` },
          { effect: 'deny', action: ['fs:ReadObject'], resource: `${resource}/object/table/a=2/z` },
          { effect: 'deny', action: ['fs:ReadObject'], resource: `${resource}/object/growing/secret` },
          { effect: 'deny', action: ['fs:DeleteObject'], resource: `${resource}/object/table/a=1/y` },
        ],
      },
    });
    await admin.createUser({ body: { id: 'guest' } });
    await admin.attachPolicyToUser({ userId: 'guest', policyId: 'AllButZ' });
    const key = await admin.createCredentials({ userId: 'guest' });
    const guest = server.client({ accessKeyId: key.access_key_id, secretAccessKey: key.secret_access_key });
    await assert.rejects(
      guest.copyPrefix({ ...main, body: { from: 'table/', to: 'stolen/' } }),
      refused(401, /fs:ReadObject on arn:lakefs:fs:::repository\/\w+\/object\/table\/./),
    );
    await assert.rejects(
      guest.copyPrefix({ ...main, body: { from: 'table/a=1/', to: 'stolen/', move: true } }),
      refused(401, /fs:DeleteObject/),
    );
    assert.deepEqual(await pathsAt(admin, 'stolen/'), []);
    assert.deepEqual(await guest.copyPrefix({ ...main, body: { from: 'table/a=1/', to: 'mine/' } }), { objects: 2 });

    const engine = server.kernel.services.get('engine');
    await engine.putObject('lakes', 'main', 'growing/plain', Buffer.from('plain'));
    const list = engine.list.bind(engine);
    const appearing = t.mock.method(engine, 'list', async (...request: Parameters<typeof list>) => {
      const page = await list(...request);
      await engine.putObject('lakes', 'main', 'growing/secret', Buffer.from('secret'));
      return page;
    });
    await assert.rejects(guest.copyPrefix({ ...main, body: { from: 'growing/', to: 'late/' } }), refused(401, /growing\/secret/));
    assert.equal(appearing.mock.callCount(), 1);
    assert.deepEqual(await pathsAt(admin, 'late/'), []);
  });

  it('stores commit records', async () => {
    const { admin } = server;
    const commit = await admin.commit({ ...main, body: { message: 'one' } });
    const record = {
      commit_id: commit.id,
      version: commit.version ?? 0,
      committer: commit.committer,
      message: commit.message,
      metarange_id: commit.meta_range_id,
      creation_date: commit.creation_date,
      parents: commit.parents,
      metadata: commit.metadata,
      generation: commit.generation ?? 0,
    };
    await assert.rejects(admin.CreateCommitRecord({ repository: 'lakes', body: record }), refused(409, /./));
    await assert.rejects(admin.CreateCommitRecord({ repository: 'lakes', body: { ...record, message: 'other' } }), refused(400, /./));
    await admin.createRepository({ bare: true, body: { name: 'twin', storage_namespace: 'local://lakes' } });
    const { status } = await admin.call('CreateCommitRecord', { repository: 'twin', body: record });
    assert.equal(status, 204);
    assert.equal((await admin.getCommit({ repository: 'twin', commitId: commit.id })).message, 'one');
  });
});

describe('a metarange that a client names as the content of a commit', () => {
  let server: WholeServer;
  before(async () => {
    server = await startWholeServer();
    await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
  });
  after(() => server.stop());

  it('exists, and holds objects', async () => {
    const { admin } = server;
    await admin.uploadObject({ ...main, path: 'a', body: 'a' });
    const first = await admin.commit({ ...main, body: { message: 'one' } });
    await admin.uploadObject({ ...main, path: 'b', body: 'b' });
    const second = await admin.commit({ ...main, body: { message: 'two' } });
    const [range = ''] = await rangesOf(server, first.meta_range_id);
    const dump = await admin.dumpRefs({ repository: 'lakes' });
    const missing = '0'.repeat(64);
    const cases: readonly [string, number, RegExp][] = [
      ['typo', 400, /: "typo" is not a range or metarange id: 64 hexadecimal/],
      [missing, 404, new RegExp(`: metarange ${missing} not found in repository lakes: name one of a commit there`)],
      [range, 400, new RegExp(`: ${range} is a range, not a metarange of objects`)],
      [dump.commits_meta_range_id, 400, /: [0-9a-f]+ is a table of a refs dump \(commit\), not a metarange of objects/],
    ];
    for (const [id, status, message] of cases) {
      const request = { ...main, source_metarange: id, body: { message: 'given' } };
      await assert.rejects(admin.commit(request), refused(status, new RegExp(`source_metarange${message.source}`)));
      assert.match((await failureOf(admin, (await admin.commitAsync(request)).id)) ?? '', message);
      const record = recordOf(second, { metarange_id: id });
      await assert.rejects(
        admin.CreateCommitRecord({ repository: 'lakes', body: record }),
        refused(status, new RegExp(`metarange_id${message.source}`)),
      );
    }
    assert.equal((await admin.getBranch({ repository: 'lakes', branch: 'main' })).commit_id, second.id);
    assert.deepEqual(await pathsAt(admin), ['a', 'b']);
    await admin.commit({ ...main, source_metarange: first.meta_range_id, body: { message: 'given' } });
    assert.deepEqual(await pathsAt(admin), ['a']);
    const { status } = await admin.call('CreateCommitRecord', { repository: 'lakes', body: recordOf(second, { metarange_id: '' }) });
    assert.equal(status, 204);
  });
});

async function rangesOf({ kernel }: WholeServer, metarange: string): Promise<string[]> {
  const ids: string[] = [];
  const { tables } = kernel.services.get('engine');
  for await (const page of tables.ranges('local://lakes', metarange)) ids.push(...page.map(({ id }) => id));
  return ids;
}

/** Error of a commit in the background, once it has ended. */
async function failureOf(client: Client, id: string): Promise<string | undefined> {
  let task = await client.commitAsyncStatus({ ...main, id });
  await until(async () => {
    task = await client.commitAsyncStatus({ ...main, id });
    return task.completed;
  });
  return task.error?.message;
}

/** The record of a commit that differs from another one, under the id of its content. */
function recordOf(commit: Awaited<ReturnType<Client['commit']>>, { metarange_id }: { readonly metarange_id: string }) {
  const { committer, message, creation_date, parents } = commit;
  const record = { version: 1, committer, message, metarange_id, creation_date, parents, metadata: {}, generation: 9 };
  const id = commitId({
    committer,
    message,
    creationDate: new Date(creation_date * 1000),
    metarangeId: metarange_id,
    metadata: {},
    parents,
  });
  return { ...record, commit_id: id };
}

describe('differences', () => {
  let server: WholeServer;
  before(async () => {
    server = await startWholeServer();
    await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
  });
  after(() => server.stop());

  it('say of removed objects what the standard says: no bytes while uncommitted, the removed object as the right side afterwards', async () => {
    const { admin } = server;
    await admin.uploadObject({ ...main, path: 'gone', body: 'four' });
    const removed = await admin.statObject({ repository: 'lakes', ref: 'main', path: 'gone' });
    await admin.commit({ ...main, body: { message: 'with it' } });
    await admin.deleteObject({ ...main, path: 'gone' });
    const item = { type: 'removed', path: 'gone', path_type: 'object' };
    assert.deepEqual((await admin.diffBranch(main)).results, [{ ...item, size_bytes: 0 }]);
    const right = { checksum: removed.checksum, mtime: removed.mtime, content_type: removed.content_type, metadata: {} };
    assert.deepEqual((await admin.diffBranch({ ...main, include_right_stats: true })).results, [{ ...item, size_bytes: 0, right }]);
    await admin.commit({ ...main, body: { message: 'without it' } });
    const refs = { repository: 'lakes', leftRef: 'main~1', rightRef: 'main' };
    assert.deepEqual((await admin.diffRefs(refs)).results, [{ ...item, size_bytes: 4 }]);
    assert.deepEqual((await admin.diffRefs({ ...refs, include_right_stats: true })).results, [{ ...item, size_bytes: 4, right }]);
  });
});

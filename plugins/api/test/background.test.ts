import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiError } from '@srv/engine/client';
import { until } from '@srv/kernel/testing';
import { startWholeServer } from './support/whole-server.js';
import type { WholeServer } from './support/whole-server.js';

/** Asks until the answer says that it is over. */
const waitFor = <T>(ask: () => Promise<T>, isOver: (answer: T) => boolean): Promise<T> =>
  until(async () => {
    const answer = await ask();
    return isOver(answer) && { answer };
  }).then(({ answer }) => answer);

const refused = (status: number, message: RegExp) => (error: unknown) =>
  error instanceof ApiError && error.status === status && message.test(error.message);

describe('commits and merges in the background', () => {
  let server: WholeServer;
  before(async () => {
    server = await startWholeServer();
    await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
    await server.admin.createBranch({ repository: 'lakes', body: { name: 'dev', source: 'main' } });
  });
  after(() => server.stop());

  it('commits', async () => {
    const { admin } = server;
    const dev = { repository: 'lakes', branch: 'dev' };
    await admin.uploadObject({ ...dev, path: 'a', body: 'a' });
    const { status, data } = await admin.call('commitAsync', { ...dev, body: { message: 'later', metadata: { k: 'v' } } });
    assert.equal(status, 202);
    const done = await waitFor(
      () => admin.commitAsyncStatus({ ...dev, id: data.id }),
      ({ completed }) => completed,
    );
    assert.equal(done.task_id, data.id);
    assert.equal(done.error, undefined);
    assert.equal(done.result?.message, 'later');
    assert.equal(done.result?.committer, 'admin');
    assert.equal((await admin.getBranch(dev)).commit_id, done.result?.id);
    assert.ok(!Number.isNaN(Date.parse(done.update_time)));
  });

  it('merges', async () => {
    const { admin } = server;
    const merge = { repository: 'lakes', sourceRef: 'dev', destinationBranch: 'main' };
    const { id } = await admin.mergeIntoBranchAsync(merge);
    const done = await waitFor(
      () => admin.mergeIntoBranchAsyncStatus({ ...merge, id }),
      ({ completed }) => completed,
    );
    assert.equal((await admin.getBranch({ repository: 'lakes', branch: 'main' })).commit_id, done.result?.reference);
  });

  it('reports what went wrong', async () => {
    const { admin } = server;
    const dev = { repository: 'lakes', branch: 'dev' };
    const { id } = await admin.commitAsync({ ...dev, body: { message: 'nothing' } });
    const done = await waitFor(
      () => admin.commitAsyncStatus({ ...dev, id }),
      ({ completed }) => completed,
    );
    assert.match(done.error?.message ?? '', /no changes/);
    assert.equal(done.status_code, 400);
    assert.equal(done.result, undefined);
    await assert.rejects(admin.commitAsync({ repository: 'lakes', branch: 'none', body: { message: 'x' } }), refused(404, /branch/));
    await assert.rejects(admin.commitAsyncStatus({ ...dev, id: 'CO12345678901234567890' }), refused(404, /not found/));
    await assert.rejects(
      admin.mergeIntoBranchAsyncStatus({ repository: 'lakes', sourceRef: 'dev', destinationBranch: 'main', id }),
      refused(404, /not found/),
    );
  });

  it('dumps refs and restores them elsewhere', async () => {
    const { admin } = server;
    await admin.createTag({ repository: 'lakes', body: { id: 'v1', ref: 'main' } });
    const now = await admin.call('dumpRefs', { repository: 'lakes' });
    assert.equal(now.status, 201);
    const { id } = await admin.dumpSubmit({ repository: 'lakes' });
    assert.match(id, /^DR.{20}$/);
    const dump = await waitFor(
      () => admin.dumpStatus({ repository: 'lakes', task_id: id }),
      ({ done }) => done,
    );
    assert.deepEqual(dump.refs, now.data);
    assert.ok(dump.refs);

    const restore = { repository: 'lakes', body: dump.refs };
    await assert.rejects(admin.restoreSubmit(restore), refused(400, /can only restore into a bare repository/));
    await assert.rejects(admin.restoreRefs(restore), refused(400, /can only restore into a bare repository/));
    for (const name of ['copy-one', 'copy-two']) {
      await admin.createRepository({ bare: true, body: { name, storage_namespace: 'local://lakes' } });
    }
    const answer = await admin.call('restoreRefs', { repository: 'copy-one', body: dump.refs });
    assert.equal(answer.status, 200);
    const restoring = await admin.restoreSubmit({ repository: 'copy-two', body: dump.refs });
    assert.match(restoring.id, /^RR.{20}$/);
    const restored = await waitFor(
      () => admin.restoreStatus({ repository: 'copy-two', task_id: restoring.id }),
      ({ done }) => done,
    );
    assert.equal(restored.error, undefined);
    const tag = await admin.getTag({ repository: 'lakes', tag: 'v1' });
    for (const repository of ['copy-one', 'copy-two']) assert.deepEqual(await admin.getTag({ repository, tag: 'v1' }), tag);
    await assert.rejects(admin.dumpStatus({ repository: 'lakes', task_id: restoring.id }), refused(404, /not found/));
  });
});

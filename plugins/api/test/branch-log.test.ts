import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiError } from '@srv/engine/client';
import { startWholeServer } from './support/whole-server.js';
import type { WholeServer } from './support/whole-server.js';

const answered = (status: number, message: RegExp) => (error: unknown) =>
  error instanceof ApiError && error.status === status && message.test(error.message);

describe('branches that come back', () => {
  let server: WholeServer;
  before(async () => {
    server = await startWholeServer();
    await server.admin.createRepository({ body: { name: 'lakes', storage_namespace: 'local://lakes' } });
  });
  after(() => server.stop());

  it('are listed, restored and show where they have been', async () => {
    const { admin } = server;
    const dev = { repository: 'lakes', branch: 'dev' };
    await admin.createBranch({ repository: 'lakes', body: { name: 'dev', source: 'main' } });
    await admin.uploadObject({ ...dev, path: 'a', body: 'content' });
    const { id } = await admin.commit({ ...dev, body: { message: 'work' } });
    await admin.deleteBranch(dev);
    const { results } = await admin.listDeletedBranches({ repository: 'lakes' });
    assert.deepEqual(
      results.map(found => [found.id, found.commit_id, found.deleted_by]),
      [['dev', id, 'admin']],
    );
    const days = (Date.parse(results[0]?.kept_until ?? '') - Date.parse(results[0]?.deleted_at ?? '')) / 86_400_000;
    assert.equal(days, 7);
    assert.deepEqual(await admin.undeleteBranch(dev), { id: 'dev', commit_id: id });
    const { body } = await admin.getObject({ repository: 'lakes', ref: 'dev', path: 'a' });
    assert.equal(Buffer.concat(await body.toArray()).toString(), 'content');
    const log = await admin.getBranchLog({ ...dev, amount: 3 });
    assert.deepEqual(
      log.results.map(({ operation, user }) => [operation, user]),
      [
        ['undelete', 'admin'],
        ['delete', 'admin'],
        ['commit', 'admin'],
      ],
    );
    assert.equal(log.pagination.has_more, true);
    const rest = await admin.getBranchLog({ ...dev, after: log.pagination.next_offset });
    assert.deepEqual(
      rest.results.map(({ message }) => message),
      ['Repository created'],
    );
  });

  it('are refused with what to do', async () => {
    const { admin } = server;
    await admin.createBranch({ repository: 'lakes', body: { name: 'taken', source: 'main' } });
    await admin.deleteBranch({ repository: 'lakes', branch: 'taken' });
    await admin.createBranch({ repository: 'lakes', body: { name: 'taken', source: 'main' } });
    const taken = { repository: 'lakes', branch: 'taken' };
    await assert.rejects(admin.undeleteBranch(taken), answered(409, /restore 'taken' under another name/));
    assert.equal((await admin.undeleteBranch({ ...taken, body: { name: 'rescued' } })).id, 'rescued');
    await assert.rejects(admin.undeleteBranch({ repository: 'lakes', branch: 'never' }), answered(404, /no deletion of a branch 'never'/));
    await assert.rejects(admin.getBranchLog({ ...taken, after: 'x' }), answered(400, /next offset/));
  });
});

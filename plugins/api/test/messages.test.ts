/** Texts that existing clients compare: whole, or as the end or a part of the message. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiError } from '@srv/engine/client';
import { startWholeServer } from './support/whole-server.js';
import type { WholeServer } from './support/whole-server.js';

describe('messages', () => {
  let server: WholeServer;
  const repository = 'lakes';
  const branch = 'main';
  before(async () => {
    server = await startWholeServer({ mode: 'internal', store: 'mem' });
    const { admin } = server;
    await admin.createRepository({ body: { name: repository, storage_namespace: 'mem://bucket/lakes' } });
    await admin.createBranch({ repository, body: { name: 'dev', source: branch } });
    for (const name of ['dev', branch]) {
      await admin.uploadObject({ repository, branch: name, path: 'file', body: name });
      await admin.commit({ repository, branch: name, body: { message: name } });
    }
  });
  after(() => server.stop());

  /** The refusal as status and message. */
  async function refusalOf(call: Promise<unknown>): Promise<readonly [number, unknown]> {
    try {
      await call;
    } catch (error) {
      if (error instanceof ApiError) return [error.status, (error.body as { message?: unknown }).message];
      throw error;
    }
    throw new Error('the call succeeded');
  }

  async function expect(call: Promise<unknown>, status: number, message: string | RegExp): Promise<void> {
    const [found, text] = await refusalOf(call);
    assert.equal(found, status, String(text));
    if (typeof message === 'string') assert.equal(text, message);
    else assert.match(String(text), message);
  }

  it('about what does not exist', async () => {
    const { admin } = server;
    const unknown = 'f'.repeat(64);
    await expect(admin.getRepository({ repository: 'missing' }), 404, 'repository not found');
    for (const commitId of [unknown, 'abcdef', 'main~9', 'none'])
      await expect(admin.getCommit({ repository, commitId }), 404, 'commit not found');
    await expect(admin.getCommit({ repository: 'missing', commitId: unknown }), 404, 'repository not found');
    await expect(admin.getBranch({ repository, branch: 'none' }), 404, /branch not found$/);
    await expect(admin.deleteBranch({ repository, branch: 'none' }), 404, /branch not found$/);
    await expect(
      admin.uploadObject({ repository, branch: 'none', path: 'x', body: '' }),
      404,
      /branch 'none' not found.*branch not found$/,
    );
    await expect(admin.commit({ repository, branch: 'none', body: { message: 'm' } }), 404, /branch not found$/);
    await expect(admin.mergeIntoBranch({ repository, sourceRef: branch, destinationBranch: 'none' }), 404, /branch not found$/);
    await expect(admin.revertBranch({ repository, branch: 'none', body: { ref: branch, parent_number: 0 } }), 404, /branch not found$/);
    await expect(admin.cherryPick({ repository, branch: 'none', body: { ref: branch } }), 404, /branch not found$/);
    await expect(admin.getTag({ repository, tag: 'none' }), 404, /tag not found$/);
    await expect(admin.logCommits({ repository, ref: 'none' }), 404, /not found$/);
  });

  it('about users, groups and policies', async () => {
    const { admin } = server;
    await expect(admin.getUser({ userId: 'none' }), 404, 'user not found');
    await expect(admin.deleteUser({ userId: 'none' }), 404, 'user not found');
    await expect(admin.getGroup({ groupId: 'none' }), 404, 'group not found');
    await expect(admin.deleteGroup({ groupId: 'none' }), 404, 'group not found');
    await expect(admin.getPolicy({ policyId: 'none' }), 404, 'policy not found');
    await expect(admin.deletePolicy({ policyId: 'none' }), 404, 'policy not found');
    await expect(admin.getCredentials({ userId: 'admin', accessKeyId: 'none' }), 404, 'credentials not found');
    await expect(admin.deleteCredentials({ userId: 'admin', accessKeyId: 'none' }), 404, 'credentials not found');
    await expect(admin.listUserCredentials({ userId: 'none' }), 404, 'user not found');
    await expect(admin.attachPolicyToUser({ userId: 'none', policyId: 'none' }), 404, /not found$/);
    await expect(admin.addGroupMembership({ groupId: 'none', userId: 'admin' }), 404, 'group not found');
    await expect(admin.createUser({ body: { id: 'admin' } }), 409, 'Already exists');
  });

  it('about permissions first, then about what the mode lacks', async () => {
    const { admin, client } = server;
    await admin.createUser({ body: { id: 'nobody' } });
    const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = await admin.createCredentials({ userId: 'nobody' });
    const [unprivileged, wrongSecret] = [client({ accessKeyId, secretAccessKey }), client({ accessKeyId, secretAccessKey: 'wrong' })];
    for (const groupId of ['Admins', 'none']) {
      const calls = [
        (user: typeof admin) => user.getGroupACL({ groupId }),
        (user: typeof admin) => user.setGroupACL({ groupId, body: { permission: 'Read' } }),
      ];
      for (const call of calls) {
        await expect(call(wrongSecret), 401, 'error authenticating request');
        await expect(
          call(unprivileged),
          401,
          `insufficient permissions: not allowed to auth:ReadGroup on arn:lakefs:auth:::group/${groupId}`,
        );
        await expect(call(admin), 501, 'Not Implemented');
      }
    }
  });

  it('about conflicts', async () => {
    const { admin } = server;
    await expect(admin.cherryPick({ repository, branch, body: { ref: 'dev' } }), 409, 'update branch: conflict found');
    await expect(admin.cherryPick({ repository, branch, body: { ref: 'none' } }), 404, 'get commit from ref none: not found');
    await admin.uploadObject({ repository, branch: 'dev', path: 'file', body: 'again' });
    await admin.commit({ repository, branch: 'dev', body: { message: 'again' } });
    await expect(
      admin.revertBranch({ repository, branch: 'dev', body: { ref: 'dev~1', parent_number: 0 } }),
      409,
      'update branch: conflict found',
    );
    const merge = admin.mergeIntoBranch({ repository, sourceRef: 'dev', destinationBranch: branch });
    await assert.rejects(merge, (error: unknown) => {
      assert.ok(error instanceof ApiError);
      assert.deepEqual([error.status, error.body], [409, { reference: '' }]);
      return true;
    });
    await expect(admin.createTag({ repository, body: { id: 'dev', ref: branch } }), 409, /conflict found$/);
    await expect(admin.createBranch({ repository, body: { name: 'dev', source: branch } }), 409, 'branch already exists: not unique');
  });

  it('about branches in the wrong state', async () => {
    const { admin } = server;
    const dirty = 'uncommitted changes (dirty branch)';
    await expect(admin.commit({ repository, branch, body: { message: 'none' } }), 400, 'commit: no changes');
    await admin.createBranch({ repository, body: { name: 'dirty', source: branch } });
    await expect(admin.mergeIntoBranch({ repository, sourceRef: branch, destinationBranch: 'dirty' }), 400, /no changes$/);
    await admin.uploadObject({ repository, branch: 'dirty', path: 'new', body: '' });
    await expect(admin.mergeIntoBranch({ repository, sourceRef: 'dev', destinationBranch: 'dirty' }), 400, dirty);
    await expect(admin.revertBranch({ repository, branch: 'dirty', body: { ref: branch, parent_number: 0 } }), 400, dirty);
    await expect(admin.cherryPick({ repository, branch: 'dirty', body: { ref: 'dev' } }), 400, dirty);
    await expect(admin.hardResetBranch({ repository, branch: 'dirty', ref: 'dev' }), 400, `dirty: ${dirty}`);
  });
});

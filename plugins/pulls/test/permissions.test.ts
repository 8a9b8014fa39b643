/** Who may merge a pull request: the destination decides, so the table of permissions depends on one. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ApiError, createClient } from '@srv/lib-api/client';
import { startSrv } from '@srv/test-servers';
import operations from '../src/operations/index.js';
import type {} from '@srv/auth/contract';
import type {} from '@srv/engine/contract';

it('a merge wants the pull request and a commit on its destination, both of them', async t => {
  const { url, kernel, key, stop } = await startSrv({ plugins: ['pulls'], config: { 'auth.ui_config.rbac': 'internal' } });
  t.after(stop);
  const { services } = kernel;
  const [engine, auth] = [services.get('engine'), services.get('auth')];
  await engine.createRepository({ id: 'lakes', storageNamespace: 'local://lakes' });
  await engine.createBranch('lakes', 'dev', 'main');
  await engine.putObject('lakes', 'dev', 'a', Buffer.from('a'), {});
  await engine.commit('lakes', 'dev', { committer: 'admin', message: 'a' });
  const admin = createClient({ operations, endpointUrl: url, retries: { enabled: false }, ...key });
  t.after(() => admin.close());
  const body = { title: 'a', source_branch: 'dev', destination_branch: 'main' };
  const { id } = await admin.createPullRequest({ repository: 'lakes', body });

  await auth.createUser({ username: 'tester' });
  const tester = createClient({ operations, endpointUrl: url, retries: { enabled: false }, ...(await auth.createCredential('tester')) });
  t.after(() => tester.close());
  const leaf = (action: string, resource: string) => ({
    effect: 'allow' as const,
    action: [action],
    resource: `arn:lakefs:fs:::${resource}`,
  });
  const commit = leaf('fs:CreateCommit', 'repository/lakes/branch/main');
  const elsewhere = leaf('fs:CreateCommit', 'repository/lakes/branch/dev');
  const write = leaf('pr:WritePullRequest', 'repository/lakes');
  await auth.createPolicy('exact', [commit]);
  await auth.attachToUser('tester', 'exact');
  const merge = () => tester.mergePullRequest({ repository: 'lakes', pull_request: id });
  // The resource was looked up, so it is not named.
  const without = (action: string) => (error: unknown) =>
    error instanceof ApiError && error.status === 401 && error.message === `insufficient permissions: not allowed to ${action}`;
  await assert.rejects(merge(), without('pr:WritePullRequest'));
  await auth.updatePolicy('exact', [write]);
  await assert.rejects(merge(), without('fs:CreateCommit'));
  await auth.updatePolicy('exact', [write, elsewhere]);
  await assert.rejects(merge(), without('fs:CreateCommit'));
  await auth.updatePolicy('exact', [write, commit]);
  assert.match((await merge()).reference, /^[0-9a-f]{64}$/);
});

/** The deletion of the source after a merge: who deletes it, and that nothing written meanwhile is lost. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@srv/lib-api/client';
import { startSrv } from '@srv/test-servers';
import operations from '../src/operations/index.js';
import type { Engine } from '@srv/engine/contract';
import type { Client } from '@srv/lib-api/client';
import type { RunningSrv } from '@srv/test-servers';

describe('the source of a merged pull request', () => {
  let srv: RunningSrv;
  let engine: Engine;
  let client: Client;
  let merge: (source: string) => Promise<unknown>;
  /** What happens while the hooks of a deletion run, and the user in their events. */
  let meanwhile: (() => Promise<unknown>) | undefined;
  let deletedBy: string | undefined;

  before(async () => {
    srv = await startSrv({ plugins: ['pulls'] });
    client = createClient({ operations, endpointUrl: srv.url, retries: { enabled: false }, ...srv.key });
    engine = srv.kernel.services.get('engine');
    await engine.createRepository({ id: 'lakes', storageNamespace: 'local://lakes' });
    await client.setPullRequestSettings({ repository: 'lakes', body: { delete_source_branch_on_merge: true } });
    srv.kernel.hooks.event.for('pre-delete-branch').tapPromise('test', async ({ user }) => {
      deletedBy = user;
      await meanwhile?.();
    });
    merge = async source => {
      await engine.createBranch('lakes', source, 'main');
      await engine.putObject('lakes', source, source, Buffer.from('merged'));
      await engine.commit('lakes', source, { committer: 'ann', message: source });
      const body = { title: source, source_branch: source, destination_branch: 'main' };
      const { id } = await client.createPullRequest({ repository: 'lakes', body });
      await client.mergePullRequest({ repository: 'lakes', pull_request: id });
    };
  });
  after(async () => {
    client.close();
    await srv.stop();
  });

  const branches = async () => (await engine.listBranches('lakes')).results.map(({ id }) => id);

  it('is deleted by the user who merges', async () => {
    meanwhile = undefined;
    await merge('done');
    assert.deepEqual(await branches(), ['main']);
    assert.equal(deletedBy, 'admin');
    const { results } = await engine.deletedBranches('lakes');
    assert.deepEqual(
      results.map(({ id, deletedBy: user }) => [id, user]),
      [['done', 'admin']],
    );
  });

  it('stays when an object is written while the hooks of the deletion run', async () => {
    meanwhile = () => engine.putObject('lakes', 'written', 'precious', Buffer.from('x'));
    await merge('written');
    assert.equal((await engine.getEntry('lakes', 'written', 'precious')).size, 1);
  });

  it('stays when it gets a commit while the hooks of the deletion run', async () => {
    meanwhile = async () => {
      await engine.putObject('lakes', 'moved', 'precious', Buffer.from('x'));
      await engine.commit('lakes', 'moved', { committer: 'ann', message: 'more' });
    };
    await merge('moved');
    assert.equal((await engine.getCommit('lakes', 'moved')).message, 'more');
  });
});

/** Merges of pull requests while the database is away for a moment. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SrvError, messageOf } from '@srv/kernel';
import { startSrv } from '@srv/test-servers';
import type { TestContext } from 'node:test';
import type {} from '@srv/engine/contract';
import type {} from '../src/contract.js';

/** A server with a pull request of the branch `dev`, whose record cannot be replaced while `fault` returns an error. */
async function open(t: TestContext, fault: () => Error | undefined) {
  const { kernel, stop } = await startSrv({ plugins: ['pulls'] });
  t.after(stop);
  const { services } = kernel;
  const [engine, pulls, kv] = [services.get('engine'), services.get('pulls'), services.get('kv')];
  await engine.createRepository({ id: 'lakes', storageNamespace: 'local://lakes' });
  await engine.createBranch('lakes', 'dev', 'main');
  await engine.putObject('lakes', 'dev', 'x', Buffer.from('x'), {});
  await engine.commit('lakes', 'dev', { committer: 'ann', message: 'm' });
  const { id } = await pulls.create('lakes', { title: 't', source: 'dev', destination: 'main', author: 'ann' });
  const setIf = kv.setIf.bind(kv);
  t.mock.method(kv, 'setIf', async (...args: Parameters<typeof setIf>) => {
    const error = args[1].toString() === `pulls/${id}` ? fault() : undefined;
    if (error) throw error;
    return setIf(...args);
  });
  return { engine, pulls, id };
}

it('a pull request whose branches are merged is recorded as merged, though that cannot be stored for a moment', async t => {
  let attempts = 0;
  const { engine, pulls, id } = await open(t, () => (attempts++ < 2 ? new Error('connection reset') : undefined));
  const commitId = await pulls.merge('lakes', id, { committer: 'ann' });
  const pull = await pulls.get('lakes', id);
  assert.deepEqual([pull.status, pull.commitId, attempts], ['merged', commitId, 3]);
  assert.equal((await engine.getBranch('lakes', 'main')).commitId, commitId);
});

it('a merge that cannot be recorded names its commit', async t => {
  const { engine, pulls, id } = await open(t, () => new SrvError('closed', 'the database is closed'));
  const error = await pulls.merge('lakes', id, { committer: 'ann' }).catch((reason: unknown) => reason);
  const { commitId } = await engine.getBranch('lakes', 'main');
  assert.match(messageOf(error), new RegExp(`pull request ${id} is merged, by commit ${commitId}, but that could not be stored; close it`));
});

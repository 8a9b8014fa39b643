/** Merges of pull requests while the database is away for a moment. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startSrv } from '@srv/test-servers';
import type {} from '@srv/engine/contract';
import type {} from '../src/contract.js';

it('a pull request whose branches are merged is recorded as merged, though that cannot be stored for a moment', async t => {
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
  let failures = 0;
  t.mock.method(kv, 'setIf', async (...args: Parameters<typeof setIf>) => {
    if (args[1].toString() === `pulls/${id}` && failures++ < 2) throw new Error('connection reset');
    return setIf(...args);
  });
  const commitId = await pulls.merge('lakes', id, { committer: 'ann' });
  const pull = await pulls.get('lakes', id);
  assert.deepEqual([pull.status, pull.commitId, failures], ['merged', commitId, 3]);
  assert.equal((await engine.getBranch('lakes', 'main')).commitId, commitId);
});

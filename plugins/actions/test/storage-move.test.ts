/** A repository that moves to another storage namespace while a hook runs: what the run leaves moves, too. */
import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { SrvError } from '@srv/kernel';
import { rejectsWith, until } from '@srv/kernel/testing';
import { RunFiles } from '../src/server/run-files.js';
import { actionFile, openServer } from './probe.js';
import type { Repository } from '@srv/engine/contract';

const repository = 'repo';

test('the outputs of a run are where its repository is in the end, and so are later ones', async t => {
  const srv = await openServer(t, { config: { 'graveler.reposiory_cache.ttl': '30ms', 'graveler.reposiory_cache.jitter': '0s' } });
  const { client, engine, probe } = srv;
  const action_file = actionFile('long', ['post-commit'], { first: { say: 'said early', gate: 'done' }, second: { say: 'said late' } });
  const { run_id } = await client.runAction({ repository, body: { action_file, event: 'post-commit', branch: 'main' } });
  await until(() => probe.calls[0]);
  await engine.startStorageMove(repository, { storageId: '', storageNamespace: 'local://elsewhere' });
  await until(async () => !(await engine.storageMove(repository)).isRunning);
  assert.equal((await engine.storageMove(repository)).phase, 'done');
  probe.open('done');
  await until(async () => (await client.getRun({ repository, run_id })).status === 'completed');
  const { results } = await client.listRunHooks({ repository, run_id });
  const outputs = await Promise.all(
    results.map(async ({ hook_run_id }) => text((await client.getRunHookOutput({ repository, run_id, hook_run_id })).body)),
  );
  assert.deepEqual(outputs, ['said early', 'said late']);
});

test('a file is written again when the repository moves meanwhile, and not where it is gone', async () => {
  const written: string[] = [];
  let namespace = 'mem://old';
  let moving = 0;
  const files = new RunFiles({
    block: {
      put: async ({ namespace: place }) => {
        written.push(place);
        return { size: 1, etag: '', lastModified: new Date() };
      },
      get: () => assert.fail(),
      remove: () => assert.fail(),
    },
    engine: {
      getRepository: async () => {
        if (namespace === '') throw new SrvError('not_found', 'repository repo: not found');
        return { storageNamespace: namespace } as Repository;
      },
      requireUnmoved: async () => {
        if (moving-- > 0) throw new SrvError('moving', 'repository repo is moving to another storage namespace');
      },
    },
  });
  const place = { repository, storageNamespace: 'mem://first' };
  const write = () => files.put(place, 'log', Buffer.from('x'));
  await write();
  moving = 1;
  const writing = write();
  await until(() => written.length === 2);
  namespace = 'mem://new';
  await writing;
  namespace = '';
  await write();
  assert.deepEqual(written, ['mem://old', 'mem://old', 'mem://new', 'mem://first']);
  namespace = 'mem://bad';
  await rejectsWith(
    () =>
      new RunFiles({
        block: { put: () => Promise.reject(new SrvError('unavailable', 'away')), get: () => assert.fail(), remove: () => assert.fail() },
        engine: { getRepository: async () => ({ storageNamespace: namespace }) as Repository, requireUnmoved: () => assert.fail() },
      }).put(place, 'log', Buffer.from('x')),
    'unavailable',
    /away/,
  );
});

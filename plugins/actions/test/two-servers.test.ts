/** Two servers on one database: each sees the runs of the other, and leaves them alone while the other is alive. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { silentLogger } from '@srv/kernel';
import { noopMetrics } from '@srv/kernel/metrics';
import { until } from '@srv/kernel/testing';
import { StillWatch } from '@srv/lib-records';
import { HookMeters } from '../src/server/meters.js';
import { Orphans } from '../src/server/orphans.js';
import { RunStore } from '../src/server/run-store.js';
import { Runner } from '../src/server/runner.js';
import { RunningRuns } from '../src/server/running-runs.js';
import { RunService } from '../src/server/service.js';
import { YamlReader } from '../src/server/yaml-reader.js';
import { actionFile, kvView, openServer } from './probe.js';
import type {} from '@srv/engine/contract';

const repository = 'repo';

it('a run of another server can be watched, and counts as interrupted only when that is gone', async t => {
  const srv = await openServer(t);
  const { kernel, client, probe } = srv;
  const [kv, block, engine] = [kernel.services.get('kv'), kernel.services.get('block'), kernel.services.get('engine')];
  const store = new RunStore({ kv, block, engine, folder: engine.tables.prefix });
  let now = 0;
  const watch = new StillWatch(() => now);
  const running = new RunningRuns({ kv: kvView(kv, { isShared: true }), log: silentLogger, instance: 'the other one', watch });
  const hookTypes = () => probe.type;
  const runner = new Runner({
    source: { load: async () => ({ files: [] }) },
    store,
    running,
    hookTypes,
    environment: { enabled: false, prefix: '', variables: {} },
    services: kernel.services,
    count: () => undefined,
    meters: new HookMeters(noopMetrics),
    log: silentLogger,
    concurrency: 1,
  });
  const other = new RunService({ engine, store, running, runner, hookTypes, yaml: new YamlReader(), log: silentLogger });

  const action_file = actionFile('watched', ['post-commit'], { first: { say: 'so far', gate: 'done' }, second: {} });
  const { run_id } = await client.runAction({ repository, body: { action_file, event: 'post-commit', branch: 'main' } });
  await until(() => probe.calls[0]);
  assert.equal((await other.get(repository, run_id)).status, 'running');
  const states = async () => (await other.hooks(repository, run_id)).results.map(({ hookId, status }) => [hookId, status]);
  await until(async () => ((await states())[0]?.[1] === 'running' ? true : undefined));
  await until(async () => ((await other.output(repository, run_id, '0000_0000')).toString() === 'so far' ? true : undefined));
  assert.equal((await other.output(repository, run_id, '0000_0001')).length, 0);

  const orphans = new Orphans({ running, store, log: silentLogger });
  await orphans.search();
  assert.equal((await other.get(repository, run_id)).status, 'running', 'its server is alive');
  now += 29_000;
  await orphans.search();
  assert.equal((await other.get(repository, run_id)).status, 'running', 'its next sign is not late yet');

  probe.open('done');
  await until(async () => ((await other.get(repository, run_id)).status === 'completed' ? true : undefined));
  assert.deepEqual(await states(), [
    ['first', 'completed'],
    ['second', 'completed'],
  ]);
  await orphans.search();
  assert.equal((await other.get(repository, run_id)).status, 'completed');
});

it('records that cannot be stored refuse the operation, and the run is found failed', async t => {
  const srv = await openServer(t);
  const { kernel, put, engine, client } = srv;
  await put('main', '_srv_actions/a', actionFile('fine', ['pre-commit'], { hook: {} }));
  const kv = kernel.services.get('kv');
  const set = kv.set.bind(kv);
  const before = await engine.getBranch(repository, 'main');
  Object.assign(kv, {
    set: (partition: string, key: Buffer, value: Buffer) =>
      partition === 'actions' && key.includes('/runs/') ? Promise.reject(new Error('the disk is full')) : set(partition, key, value),
  });
  const body = { message: 'm' };
  await assert.rejects(client.commit({ repository, branch: 'main', body }), /pre-commit hook aborted, run id '.*': .*the disk is full/);
  Object.assign(kv, { set });
  assert.equal((await engine.getBranch(repository, 'main')).commitId, before.commitId);
  const store = new RunStore({ kv, block: kernel.services.get('block'), engine, folder: '_srv' });
  const running = new RunningRuns({ kv, log: silentLogger, instance: 'successor' });
  await new Orphans({ running, store, log: silentLogger }).search();
  assert.equal((await client.listRepositoryRuns({ repository })).results.length, 1);
  await client.commit({ repository, branch: 'main', body });
});

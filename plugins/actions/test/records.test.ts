/** Records and objects of runs byte by byte, written elsewhere and here. */
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { until } from '@srv/kernel/testing';
import { runEpoch, xid } from '@srv/lib-records';
import { identifierType } from '@srv/lib-stores/block';
import { removeOldRuns } from '../src/server/retention.js';
import { decodeRun, decodeTask, encodeIndex, encodeRun, encodeTask } from '../src/server/run-record.js';
import { RunStore } from '../src/server/run-store.js';
import { never } from '../src/wire-time.js';
import { actionFile, kvView, openServer } from './probe.js';
import type {} from '@srv/engine/contract';

const hex = (...parts: readonly string[]): Buffer => Buffer.from(parts.join('').replaceAll(' ', ''), 'hex');
const text = (tag: string, value: string): string =>
  `${tag}${Buffer.from([value.length]).toString('hex')}${Buffer.from(value).toString('hex')}`;

const runId = 'i9v2k0lpocvs73ftd7u0';
/** 2024-01-02T03:04:05.006Z */
const time = new Date(1_704_164_645_006);
const timeHex = '08 a5facdac06 10 809bee02';
/** Seconds -62135596800 as ten bytes. */
const neverHex = '08 8092b8c398feffffff01';

const run = { runId, branch: 'main', commitId: 'c1', sourceRef: 'main', eventType: 'pre-commit', start: time, end: never, passed: true };
const runBytes = hex(
  text('0a', runId),
  text('12', 'main'),
  text('1a', 'c1'),
  text('22', 'main'),
  text('2a', 'pre-commit'),
  `320b ${timeHex}`,
  `3a0b ${neverHex}`,
  '4001',
);
const task = { runId, hookRunId: '0000_0001', hookId: 'hook', action: 'act', start: never, end: time, passed: true };
const taskBytes = hex(
  text('0a', runId),
  text('12', '0000_0001'),
  text('1a', 'hook'),
  text('22', 'act'),
  `2a0b ${neverHex}`,
  `320b ${timeHex}`,
  '4801',
);

describe('records of runs', () => {
  it('are the bytes that existing readers know', () => {
    assert.deepEqual(encodeRun(run), runBytes);
    assert.deepEqual(decodeRun(runBytes), run);
    assert.deepEqual(encodeTask(task), taskBytes);
    assert.deepEqual(decodeTask(taskBytes), task);
    assert.deepEqual(encodeIndex(Buffer.from('key')), hex(text('0a', 'key')));
  });

  it('go with their repository: a new one of the same name has no runs', async t => {
    const { client, engine, put } = await openServer(t);
    const listed = async () => (await client.listRepositoryRuns({ repository: 'repo' })).results.length;
    await put('main', '_srv_actions/check.yaml', actionFile('check', ['pre-commit'], { first: {} }));
    await client.commit({ repository: 'repo', branch: 'main', body: { message: 'm' } });
    await until(async () => (await listed()) === 1);
    await engine.createRepository({ id: 'repo-2', storageNamespace: 'local://repo-2' });
    await engine.deleteRepository('repo-2');
    assert.equal(await listed(), 1);
    await engine.deleteRepository('repo');
    await engine.createRepository({ id: 'repo', storageNamespace: 'local://repo-3' });
    assert.equal(await listed(), 0);
  });

  it('written elsewhere are listed and readable, with outputs in their folder', async t => {
    const { client, kernel, engine } = await openServer(t);
    const [kv, block] = [kernel.services.get('kv'), kernel.services.get('block')];
    const { storageNamespace } = await engine.getRepository('repo');
    const set = (key: string, value: Buffer) => kv.set('actions', Buffer.from(key), value);
    await set(`repos/repo/runs/${runId}`, runBytes);
    await set(`repos/repo/tasks/${runId}/0000_0000`, encodeTask({ ...task, hookRunId: '0000_0000', start: time }));
    await set(`repos/repo/tasks/${runId}/0000_0001`, taskBytes);
    await set(`repos/repo/branches/main/${runId}`, encodeIndex(Buffer.from(`repos/repo/runs/${runId}`)));
    await set('repos/repo/branches/main/i9v2k0lpocvs73ftd7v0', encodeIndex(Buffer.from('repos/repo/runs/gone')));
    await set(`repos/repo/branches/main/x/${runId}`, encodeIndex(Buffer.from(`repos/repo/runs/${runId}`)));
    const identifier = `_lakefs/actions/log/${runId}/0000_0000.log`;
    await block.put({ namespace: storageNamespace, identifier, identifierType: identifierType.relative }, Buffer.from('from there'));
    const expected = {
      run_id: runId,
      branch: 'main',
      start_time: '2024-01-02T03:04:05.006Z',
      end_time: '0001-01-01T00:00:00Z',
      event_type: 'pre-commit',
      status: 'completed',
      commit_id: 'c1',
    };
    assert.deepEqual((await client.listRepositoryRuns({ repository: 'repo' })).results, [expected]);
    assert.deepEqual((await client.listRepositoryRuns({ repository: 'repo', branch: 'main' })).results, [expected]);
    const { results } = await client.listRunHooks({ repository: 'repo', run_id: runId });
    assert.deepEqual(results[1], {
      hook_run_id: '0000_0001',
      action: 'act',
      hook_id: 'hook',
      start_time: '0001-01-01T00:00:00Z',
      status: 'skipped',
    });
    const output = async (hook_run_id: string) => {
      const { headers, body } = await client.getRunHookOutput({ repository: 'repo', run_id: runId, hook_run_id });
      assert.equal(headers['content-disposition'], `attachment; filename=${hook_run_id}.log`);
      assert.equal(headers['content-type'], 'application/octet-stream');
      return (await buffer(body)).toString();
    };
    assert.equal(await output('0000_0000'), 'from there');
    assert.equal(await output('0000_0001'), '');
    await block.remove({ namespace: storageNamespace, identifier, identifierType: identifierType.relative });
    await assert.rejects(output('0000_0000'), { status: 410, message: 'No data' });
  });

  it('lie where existing readers look, with a manifest that knows the commit', async t => {
    const { client, kernel, engine, put } = await openServer(t);
    await put('main', '_srv_actions/a', actionFile('an action', ['pre-commit'], { hook: {}, skipped: { if: 'failure()' } }));
    const { id } = await client.commit({ repository: 'repo', branch: 'main', body: { message: 'm' } });
    const [listed] = await until(async () => {
      const { results } = await client.listRepositoryRuns({ repository: 'repo', commit: id });
      return results.length > 0 ? results : undefined;
    });
    const keys: string[] = [];
    for await (const page of kernel.services.get('kv').scan('actions')) keys.push(...page.map(({ key }) => key.toString()));
    const name = listed?.run_id;
    assert.deepEqual(
      keys.filter(key => key.startsWith('repos/')),
      [
        `repos/repo/branches/main/${name}`,
        `repos/repo/commits/${id}/${name}`,
        `repos/repo/runs/${name}`,
        `repos/repo/tasks/${name}/0000_0000`,
        `repos/repo/tasks/${name}/0000_0001`,
      ],
    );
    const { storageNamespace: namespace } = await engine.getRepository('repo');
    const folder = kernel.services.get('engine').tables.prefix;
    const identifier = `${folder}/actions/log/${name}/run.manifest`;
    const stored = await until(async () => {
      const found = await buffer(
        await kernel.services.get('block').get({ namespace, identifier, identifierType: identifierType.relative }),
      );
      return found.includes('commit_id') ? found : undefined;
    });
    const manifest = JSON.parse(stored.toString()) as { readonly run: object; readonly hooks: readonly object[] };
    const times = { start_time: listed?.start_time, end_time: listed?.end_time };
    assert.deepEqual(manifest.run, {
      run_id: name,
      branch_id: 'main',
      source_ref: 'main',
      event_type: 'pre-commit',
      commit_id: id,
      ...times,
      passed: true,
    });
    assert.deepEqual(manifest.hooks, [
      { run_id: name, hook_run_id: '0000_0000', hook_id: 'hook', action_name: 'an action', ...times, passed: true },
      {
        run_id: name,
        hook_run_id: '0000_0001',
        hook_id: 'skipped',
        action_name: 'an action',
        start_time: '0001-01-01T00:00:00Z',
        end_time: '0001-01-01T00:00:00Z',
        passed: false,
      },
    ]);
  });

  it('that cannot be stored fail once, when the store refuses at once and the database takes its time', async t => {
    const { kernel, engine } = await openServer(t);
    const [kv, block] = [kernel.services.get('kv'), kernel.services.get('block')];
    const slow = kvView(kv, {
      setIf: async (...args) => {
        await setTimeout(20);
        return kv.setIf(...args);
      },
    });
    const store = new RunStore({
      kv: slow,
      block: { put: () => Promise.reject(new Error('no space left')), get: block.get.bind(block), remove: block.remove.bind(block) },
      engine,
      folder: '_srv',
    });
    const { storageNamespace } = await engine.getRepository('repo');
    // Of a rejection that nothing handles in time the test runner makes a failure.
    await assert.rejects(store.save({ repository: 'repo', storageNamespace }, run, [task]), /no space left/);
  });

  it('of a repository that was deleted stay away from the next one of its name', async t => {
    const { kernel, engine } = await openServer(t);
    const [kv, block] = [kernel.services.get('kv'), kernel.services.get('block')];
    const store = new RunStore({ kv, block, engine, folder: '_srv' });
    const { storageNamespace, instanceUid } = await engine.getRepository('repo');
    const place = { repository: 'repo', storageNamespace, instanceUid };
    await store.save(place, run, [task]);
    assert.ok(await store.find('repo', run.runId));
    await engine.deleteRepository('repo');
    await engine.createRepository({ id: 'repo', storageNamespace: 'local://again' });
    await store.save(place, run, [task]);
    await store.setCommit(place, run.runId, 'c0ffee');
    await store.putOutput(place, run.runId, task.hookRunId, Buffer.from('secret'));
    assert.equal(await store.find('repo', run.runId), undefined);
    const next = { repository: 'repo', storageNamespace: 'local://again' };
    await assert.rejects(store.output(next, run.runId, task.hookRunId), { code: 'no_data' });
    // It is deleted while the records are being written.
    const { instanceUid: second } = await engine.getRepository('repo');
    const deleting = new RunStore({
      kv: kvView(kv, {
        set: async (...args) => {
          await kv.set(...args);
          await engine.deleteRepository('repo').catch(() => undefined);
        },
      }),
      block,
      engine,
      folder: '_srv',
    });
    await deleting.save({ ...next, instanceUid: second }, run, [task]);
    assert.equal(await store.find('repo', run.runId), undefined);
  });

  it('that are old are removed with everything of them, where that is asked for', async t => {
    const { client, kernel, engine, put } = await openServer(t);
    await put('main', '_srv_actions/a', actionFile('an action', ['pre-commit'], { hook: {} }));
    await client.commit({ repository: 'repo', branch: 'main', body: { message: 'm' } });
    const { results } = await client.listRepositoryRuns({ repository: 'repo' });
    const [kv, block] = [kernel.services.get('kv'), kernel.services.get('block')];
    const store = new RunStore({ kv, block, engine, folder: engine.tables.prefix });
    const repository = await engine.getRepository('repo');
    const oldId = xid(runEpoch - 1_704_164_645);
    const old = { ...run, runId: oldId };
    await store.save({ repository: 'repo', storageNamespace: repository.storageNamespace }, old, [{ ...task, runId: oldId }]);
    assert.equal(await removeOldRuns(repository, store, 3_600_000), 1);
    assert.deepEqual((await client.listRepositoryRuns({ repository: 'repo' })).results, results);
    const keys: string[] = [];
    for await (const page of kv.scan('actions')) keys.push(...page.map(({ key }) => key.toString()));
    assert.deepEqual(
      keys.filter(key => key.includes(oldId)),
      [],
    );
  });
});

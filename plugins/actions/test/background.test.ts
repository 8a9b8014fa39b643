/** Runs while they run: outputs, order, the end of the server, servers that die. */
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '@srv/kernel';
import { noopMetrics } from '@srv/kernel/metrics';
import { until } from '@srv/kernel/testing';
import { ApiError } from '@srv/lib-api/client';
import { parseActionFile } from '../src/files/parse.js';
import { HookMeters } from '../src/server/meters.js';
import { Orphans } from '../src/server/orphans.js';
import { decodeRun } from '../src/server/run-record.js';
import { RunStore } from '../src/server/run-store.js';
import { Runner } from '../src/server/runner.js';
import { RunningRuns } from '../src/server/running-runs.js';
import { actionFile, openServer } from './probe.js';
import type { TestContext } from 'node:test';
import type {} from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';

const repository = 'repo';
const body = { message: 'm', allow_empty: true };

type Opened = Awaited<ReturnType<typeof openServer>>;

async function outputOf({ client }: Opened, run_id: string, hook_run_id = '0000_0000'): Promise<string> {
  const { body } = await client.getRunHookOutput({ repository, run_id, hook_run_id });
  return (await buffer(body)).toString('utf8');
}

const runsOf = async ({ client }: Opened) => (await client.listRepositoryRuns({ repository })).results;

describe('a run under way', () => {
  it('can be watched by its id, and is listed when it has ended', async t => {
    const srv = await openServer(t);
    const file = actionFile('slow', ['post-commit'], { wait: { say: 'so far', gate: 'done' }, next: {} });
    const { run_id } = await srv.client.runAction({ repository, body: { action_file: file, event: 'post-commit', branch: 'main' } });
    await until(() => srv.probe.calls[0]);
    assert.equal(await outputOf(srv, run_id), 'so far');
    const run = await srv.client.getRun({ repository, run_id });
    assert.deepEqual([run.status, run.event_type, run.end_time], ['running', 'post-commit', undefined]);
    const { results } = await srv.client.listRunHooks({ repository, run_id });
    assert.deepEqual(
      results.map(({ hook_id, status }) => [hook_id, status]),
      [
        ['wait', 'running'],
        ['next', 'running'],
      ],
    );
    assert.deepEqual(await runsOf(srv), []);
    srv.probe.open('done');
    await until(async () => ((await srv.client.getRun({ repository, run_id })).status === 'completed' ? true : undefined));
    assert.equal((await runsOf(srv)).length, 1);
    const { commitId } = await srv.engine.getBranch(repository, 'main');
    assert.equal(srv.probe.calls[0]?.payload.commit_id, commitId);
  });

  it('is refused by hand when the file has problems or does not fit', async t => {
    const { client } = await openServer(t);
    const refused = (text: RegExp) => (error: unknown) => error instanceof ApiError && error.status === 400 && text.test(error.message);
    const run = (action_file: string) => client.runAction({ repository, body: { action_file, event: 'pre-commit', branch: 'main' } });
    await assert.rejects(run('name: x'), refused(/'name' is invalid: invalid action \(line 1/));
    await assert.rejects(run(actionFile('other', ['pre-merge'], { hook: {} })), refused(/not started by pre-commit on main/));
    await assert.rejects(run(actionFile('empty', ['pre-commit'], {})), refused(/.+/));
  });

  it('does not delay the answer, and the server waits for it when it stops', async t => {
    const srv = await openServer(t, { config: { 'actions.runs.concurrency': 2 } });
    await srv.put('main', '_srv_actions/a', actionFile('slow', ['post-commit'], { wait: { gate: 'done' } }));
    for (let i = 0; i < 5; i++) await srv.client.commit({ repository, branch: 'main', body });
    await until(() => srv.probe.calls[1]);
    await sleep(50);
    assert.equal(srv.probe.calls.length, 2, 'no more than two at a time');
    assert.deepEqual(await runsOf(srv), []);
    const { kv } = storesOf(srv);
    setTimeout(() => srv.probe.open('done'), 100);
    const records = new Map<string, Buffer>();
    const watched = watchWrites(kv, records);
    await srv.stop();
    watched();
    assert.equal(srv.probe.calls.length, 5);
    assert.equal([...records.keys()].filter(key => key.includes('/runs/')).length, 5);
    assert.equal([...records.keys()].filter(key => key.startsWith('running/')).length, 0);
  });

  it('is recorded, though that fails for a moment', async t => {
    const srv = await openServer(t);
    const { kv } = storesOf(srv);
    const set = kv.set.bind(kv);
    let failures = 0;
    t.mock.method(kv, 'set', async (...args: Parameters<typeof set>) => {
      if (args[1].toString().includes('/runs/') && failures++ < 2) throw new Error('connection reset');
      return set(...args);
    });
    await srv.put('main', '_srv_actions/a', actionFile('quick', ['post-commit'], { hook: {} }));
    await srv.client.commit({ repository, branch: 'main', body });
    const [run] = await until(async () => {
      const found = await runsOf(srv);
      return found.length > 0 ? found : undefined;
    });
    assert.equal(run?.status, 'completed');
    assert.ok(failures > 2);
    assert.equal(srv.probe.calls.length, 1);
  });

  it('is stopped and recorded as failed when it takes longer than the server waits', async t => {
    const srv = await openServer(t, { config: { 'actions.runs.drain_timeout': '50ms' } });
    await srv.put('main', '_srv_actions/a', actionFile('endless', ['post-commit'], { wait: { gate: 'never' } }));
    await srv.client.commit({ repository, branch: 'main', body });
    await until(() => srv.probe.calls[0]);
    const records = new Map<string, Buffer>();
    watchWrites(storesOf(srv).kv, records);
    await srv.stop();
    const run = [...records].find(([key]) => key.includes('/runs/'));
    assert.ok(run);
    assert.equal(decodeRun(run[1]).passed, false);
  });

  it('ends with the caller of an operation', async t => {
    const srv = await openServer(t);
    await srv.put('main', '_srv_actions/a', actionFile('waiting', ['pre-commit'], { wait: { gate: 'never' } }));
    const leaving = new AbortController();
    const committing = srv.client.commit({ repository, branch: 'main', body }, { signal: leaving.signal });
    await until(() => srv.probe.calls[0]);
    leaving.abort();
    await assert.rejects(committing);
    const [run] = await until(async () => {
      const found = await runsOf(srv);
      return found.length > 0 ? found : undefined;
    });
    assert.equal(run?.status, 'failed');
    assert.equal(await outputOf(srv, run.run_id), 'Error: action failed: the caller did not wait for the end\n');
  });
});

describe('a run whose server died', () => {
  it('is reported as failed once, with the reason, at every point at which it can die', t => dieEverywhere(t));

  it('is reported by its results where the notes of its progress lag behind them', t => dieEverywhere(t, 5));

  it('is reported also when another one cannot be, whose bucket is gone', async t => {
    const srv = await openServer(t);
    const { kv, block } = storesOf(srv);
    const { storageNamespace } = await srv.engine.getRepository(repository);
    const dead = new RunningRuns({ kv, log: silentLogger, instance: 'dead' });
    const hook = { hookRunId: '0000_0000', hookId: 'h', action: 'a', state: 'running' as const, start: 1, end: 0 };
    const run = { branch: 'main', commitId: '', sourceRef: 'main', eventType: 'pre-commit', start: 1, hooks: [hook] };
    const [broken, whole] = ['i9v2k0lpocvs73ftd001', 'i9v2k0lpocvs73ftd002'];
    await dead.begin({ ...run, repository: 'aaa', storageNamespace: 'unknown://gone', runId: broken });
    await dead.begin({ ...run, repository, storageNamespace, runId: whole });
    const store = new RunStore({ kv, block, engine: srv.engine, folder: '_srv' });
    const running = new RunningRuns({ kv, log: silentLogger, instance: 'successor' });
    const orphans = new Orphans({ running, store, log: silentLogger });
    await orphans.search();
    assert.equal((await store.find(repository, whole))?.passed, false);
    assert.equal(await running.find(repository, whole), undefined);
    assert.ok(await running.find('aaa', broken), 'it is tried again');
    await dead.stop();
  });

  /** @param lag milliseconds until a note of progress is written. */
  async function dieEverywhere(t: TestContext, lag = 0): Promise<void> {
    const srv = await openServer(t);
    const { kv, block } = storesOf(srv);
    const { storageNamespace } = await srv.engine.getRepository(repository);
    const parsed = parseActionFile(actionFile('dying', ['post-commit'], { one: {}, two: {} }), () => srv.probe.type);
    assert.ok(parsed.action);
    const complete = await lifeOf(kv);
    let interrupted = 0;
    for (let point = 1; point <= complete; point++) {
      const runId = `i9v2k0lpocvs73ftd${String(point).padStart(2, '0')}0`;
      await lifeOf(kv, point, runId);
      const store = new RunStore({ kv, block, engine: srv.engine, folder: '_srv' });
      const running = new RunningRuns({ kv, log: silentLogger, instance: 'successor' });
      const orphans = new Orphans({ running, store, log: silentLogger });
      await orphans.search();
      await orphans.search();
      assert.equal(await running.find(repository, runId), undefined, `point ${point}: it is under way no more`);
      const run = await store.find(repository, runId);
      // Before its first record the run has not begun.
      if (point <= 2) continue;
      assert.ok(run, `point ${point}: it is recorded`);
      const { results: tasks } = await store.tasks(repository, runId, {});
      assert.equal(tasks.length, 2, `point ${point}`);
      const broken = tasks.find(({ passed }) => !passed);
      assert.equal(run.passed, broken === undefined, `point ${point}`);
      if (!broken) continue;
      interrupted++;
      const output = await store.output({ repository, storageNamespace }, runId, broken.hookRunId);
      assert.equal(output.toString(), 'Error: action failed: the server was gone before the hook ended\n');
    }

    assert.ok(interrupted > 0, 'some points lie between two hooks');

    /** Runs until write number `last`, which is lost with everything after it. @returns how many writes there are. */
    async function lifeOf(real: KvStore, last = Number.POSITIVE_INFINITY, runId = 'i9v2k0lpocvs73ftdvv0'): Promise<number> {
      let writes = 0;
      // What is on its way at the death still arrives.
      const arriving = new Set<Promise<unknown>>();
      const arrives = <T>(arrival: Promise<T>): Promise<T> => {
        arriving.add(arrival);
        return arrival;
      };
      const dying = <T>(write: () => Promise<T>): Promise<T> => (++writes < last ? arrives(write()) : new Promise<T>(() => {}));
      const mortal: KvStore = {
        type: real.type,
        isShared: real.isShared,
        get: (...args) => real.get(...args),
        set: async (...args) => {
          if (lag > 0 && args[1].toString().startsWith('running/')) await sleep(lag);
          return dying(() => real.set(...args));
        },
        setIf: (...args) => dying(() => real.setIf(...args)),
        delete: (...args) => dying(() => real.delete(...args)),
        scan: (...args) => real.scan(...args),
        close: () => Promise.resolve(),
      };
      // Objects are written before the records that name them.
      const put: BlockStore['put'] = (...args) => (writes >= last ? new Promise(() => {}) : arrives(block.put(...args)));
      const mortalBlock = { get: block.get.bind(block), put, remove: block.remove.bind(block) };
      const store = new RunStore({ kv: mortal, block: mortalBlock, engine: srv.engine, folder: '_srv' });
      const running = new RunningRuns({ kv: mortal, log: silentLogger, instance: `victim-${runId}` });
      const event = { runId, type: 'post-commit' as const, repository, storageNamespace, sourceRef: 'main', branch: 'main', commitId: 'c' };
      const runner = new Runner({
        source: { load: async () => ({ files: [{ path: '_srv_actions/a', parsed }] }) },
        store,
        running,
        hookTypes: () => srv.probe.type,
        environment: { enabled: true, prefix: '', variables: {} },
        services: srv.kernel.services,
        count: () => undefined,
        meters: new HookMeters(noopMetrics),
        log: silentLogger,
        concurrency: 1,
      });
      let isOver = false;
      const ended = runner.handle(event).finally(() => {
        isOver = true;
      });
      await Promise.race([ended, until(() => (isOver || writes >= last ? true : undefined))]);
      // The last progress of hooks may still be on its way to where nothing is written any more.
      await sleep(5 + lag);
      await Promise.all(arriving);
      void running.stop();
      return writes;
    }
  }
});

function storesOf({ kernel }: Opened) {
  return { kv: kernel.services.get('kv'), block: kernel.services.get('block') };
}

/** Keeps what is in the partition of runs from now on. @returns what ends it. */
function watchWrites(kv: KvStore, records: Map<string, Buffer>): () => void {
  const [set, setIf, remove] = [kv.set.bind(kv), kv.setIf.bind(kv), kv.delete.bind(kv)];
  Object.assign(kv, {
    set: (partition: string, key: Buffer, value: Buffer) => {
      if (partition === 'actions') records.set(key.toString(), value);
      return set(partition, key, value);
    },
    delete: (partition: string, key: Buffer) => {
      records.delete(key.toString());
      return remove(partition, key);
    },
  });
  return () => Object.assign(kv, { set, setIf, delete: remove });
}

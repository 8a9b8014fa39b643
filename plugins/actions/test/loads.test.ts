/** How often the action files of a ref are read. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { silentLogger } from '@srv/kernel';
import { noopMetrics } from '@srv/kernel/metrics';
import { parseActionFile } from '../src/files/parse.js';
import { HookMeters } from '../src/server/meters.js';
import { Runner } from '../src/server/runner.js';
import { actionFile, openServer } from './probe.js';
import type { TestContext } from 'node:test';
import type { EventRecord } from '@srv/kernel';
import type { LoadedFile } from '../src/files/selection.js';
import type { RunStore } from '../src/server/run-store.js';
import type { RunningRuns } from '../src/server/running-runs.js';

/** Stores nothing; reports the commits that are linked to runs. */
const memoryStore = (linked: (runId: string) => void) =>
  ({
    save: async () => {},
    putOutput: async () => {},
    setCommit: async (_event: EventRecord, runId: string) => linked(runId),
  }) as unknown as RunStore;
const memoryRuns = { begin: async () => {}, change: () => {}, end: async () => {} } as unknown as RunningRuns;

async function open(t: TestContext) {
  const { kernel, probe } = await openServer(t);
  const loads: string[] = [];
  const linked: string[] = [];
  const shown: { files: readonly LoadedFile[] } = { files: [] };
  const runner = new Runner({
    source: {
      load: async (_, ref) => {
        loads.push(ref);
        return { files: shown.files };
      },
    },
    store: memoryStore(runId => linked.push(runId)),
    running: memoryRuns,
    hookTypes: () => probe.type,
    environment: { enabled: true, prefix: '', variables: {} },
    services: kernel.services,
    count: () => undefined,
    meters: new HookMeters(noopMetrics),
    log: silentLogger,
    concurrency: 1,
  });
  let runs = 0;
  const event = (type: EventRecord['type'], sourceRef: string, preRunId?: string): EventRecord => ({
    runId: `run-${++runs}`,
    type,
    repository: 'repo',
    storageNamespace: 'local://repo',
    sourceRef,
    branch: 'b',
    commitId: 'c',
    ...(preRunId === undefined ? {} : { preRunId }),
  });
  const fileFor = (...types: string[]): LoadedFile => ({
    path: '_srv_actions/a',
    parsed: parseActionFile(actionFile('both', types, { hook: {} }), () => probe.type),
  });
  return { runner, probe, event, fileFor, shown, loads, linked };
}

it('an operation whose pre event starts nothing reads them once for both of its events', async t => {
  const { runner, probe, event, fileFor, shown, loads } = await open(t);
  shown.files = [fileFor('pre-create-branch', 'post-create-branch')];
  const operation = async (source: string, result: string): Promise<readonly string[]> => {
    loads.length = 0;
    const before = event('pre-create-branch', source);
    await runner.handle(before);
    await runner.handle(event('post-create-branch', result, before.runId));
    return [...loads];
  };

  assert.deepEqual(await operation('main', 'main'), ['main', 'main'], 'hooks ran meanwhile');
  assert.equal(probe.calls.length, 2);
  shown.files = [];
  assert.deepEqual(await operation('main', 'main'), ['main']);
  assert.deepEqual(await operation('main', 'another'), ['main', 'another']);
  await runner.handle(event('post-create-branch', 'main', 'run-of-another-server'));
  assert.equal(loads.length, 3);
  await runner.drain(0);
});

it('beyond rememberedLoads: the post event of an operation begun long ago reads them again', async t => {
  const { runner, event, loads } = await open(t);
  const before = Array.from({ length: 1001 }, () => event('pre-create-branch', 'main'));
  for (const each of before) await runner.handle(each);
  const readsAfter = async (of: EventRecord | undefined): Promise<number> => {
    loads.length = 0;
    await runner.handle(event('post-create-branch', 'main', of?.runId));
    return loads.length;
  };
  assert.deepEqual([await readsAfter(before[0]), await readsAfter(before[1])], [1, 0]);
  await runner.drain(0);
});

it('beyond rememberedRuns: the run of an operation begun long ago gets no commit', async t => {
  const { runner, event, fileFor, shown, linked } = await open(t);
  shown.files = [fileFor('pre-commit')];
  const before = Array.from({ length: 10_001 }, () => event('pre-commit', 'main'));
  for (const each of before) await runner.handle(each);
  for (const each of before.slice(0, 2)) await runner.handle(event('post-commit', 'main', each.runId));
  await runner.drain(0);
  assert.deepEqual(linked, [before[1]?.runId]);
});

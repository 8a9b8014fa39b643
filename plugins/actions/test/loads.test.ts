/** How often the action files of a ref are read. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { silentLogger } from '@srv/kernel';
import { unmeasured } from '@srv/lib-metrics';
import type { EventRecord } from '@srv/kernel';
import { parseActionFile } from '../src/files/parse.js';
import { HookMeters } from '../src/server/meters.js';
import { RunStore } from '../src/server/run-store.js';
import { Runner } from '../src/server/runner.js';
import { RunningRuns } from '../src/server/running-runs.js';
import { actionFile, openServer } from './probe.js';

it('an operation whose pre event starts nothing reads them once for both of its events', async t => {
  const { kernel, probe } = await openServer(t);
  const [kv, block] = [kernel.services.get('kv'), kernel.services.get('block')];
  const parsed = parseActionFile(actionFile('both', ['pre-create-branch', 'post-create-branch'], { hook: {} }), () => probe.type);
  const loads: string[] = [];
  let files = [{ path: '_srv_actions/a', parsed }];
  const runner = new Runner({
    source: {
      load: async (_, ref) => {
        loads.push(ref);
        return { files };
      },
    },
    store: new RunStore({ kv, block, folder: '_srv' }),
    running: new RunningRuns({ kv, log: silentLogger, instance: 'here' }),
    hookTypes: () => probe.type,
    environment: { enabled: true, prefix: '', variables: {} },
    services: kernel.services,
    count: () => undefined,
    meters: new HookMeters(unmeasured),
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
  const operation = async (source: string, result: string): Promise<readonly string[]> => {
    loads.length = 0;
    const before = event('pre-create-branch', source);
    await runner.handle(before);
    await runner.handle(event('post-create-branch', result, before.runId));
    return [...loads];
  };

  assert.deepEqual(await operation('main', 'main'), ['main', 'main'], 'hooks ran meanwhile');
  assert.equal(probe.calls.length, 2);
  files = [];
  assert.deepEqual(await operation('main', 'main'), ['main']);
  assert.deepEqual(await operation('main', 'another'), ['main', 'another']);
  await runner.handle(event('post-create-branch', 'main', 'run-of-another-server'));
  assert.equal(loads.length, 3);
  await runner.drain(0);
});

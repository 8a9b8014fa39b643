/** What a server does unasked: schedule, quarantine, runs of dead servers; and the metrics it reports. */
import assert from 'node:assert/strict';
import { mkdir, readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SrvError, silentLogger, throwIfAborted } from '@srv/kernel';
import { noopMetrics } from '@srv/kernel/metrics';
import { partitionOf, xid } from '@srv/lib-records';
import { StoredRules } from '../src/rules/stored-rules.js';
import { Maintenance } from '../src/server/maintenance.js';
import { runMeter } from '../src/server/meters.js';
import { RateLimiter } from '../src/sweep/rate-limiter.js';
import { removeBatch } from '../src/sweep/remove-batch.js';
import { collectorOn, mortal, ofSurvivor, patient, shortTimes, withoutBeats } from './collectors.js';
import { ageless, collect, day, daysAgo, exists, openEngine } from './fixture.js';
import type { TestContext } from 'node:test';
import type { Repository } from '@srv/engine/contract';
import type { Metrics } from '@srv/kernel/metrics';
import type { Run } from '../src/contract.js';
import type { LifecycleRuns } from '../src/lifecycle/lifecycle.js';
import type { OpenEngine } from './fixture.js';

type Maintained = OpenEngine & { readonly maintenance: (schedule?: number, lifecycle?: Pick<LifecycleRuns, 'maintain'>) => Maintenance };

async function open(t: TestContext): Promise<Maintained> {
  const engine = await openEngine({ config: ageless });
  t.after(() => engine.stop());
  const { kernel, block } = engine;
  const [committed, versioning] = [kernel.services.get('engine').tables, kernel.services.get('engine')];
  const collector = collectorOn(engine, 'maintained', engine, ofSurvivor);
  t.after(() => collector.stop());
  return {
    ...engine,
    maintenance: (schedule = 0, lifecycle = { maintain: async () => undefined }) =>
      new Maintenance({
        block,
        committed,
        engine: versioning,
        collector,
        records: collector.records,
        rules: new StoredRules(block, versioning),
        lifecycle,
        log: silentLogger,
        cacheDir: join(engine.folder, 'gc'),
        schedule,
        period: 60_000,
        stale: 30_000,
      }),
  };
}

const create = ({ catalog }: OpenEngine, id: string) => catalog.createRepository({ id, storageNamespace: `mem://bucket/${id}` });

/** Once all have ended. */
async function runsOf({ gc }: OpenEngine, id: string): Promise<string[]> {
  for (;;) {
    const { results } = await gc.listRuns(id);
    if (results.every(({ phase }) => phase !== 'marking' && phase !== 'sweeping')) return results.map(run => `${run.id} ${run.phase}`);
    await sleep(2);
  }
}

describe('maintenance', () => {
  it('begins runs of repositories that have rules, when they are due', async t => {
    const engine = await open(t);
    for (const id of ['ruled', 'unruled']) await create(engine, id);
    await engine.gc.setRules('ruled', { defaultRetentionDays: 1, branches: [] });
    await engine.maintenance().round();
    assert.deepEqual(await runsOf(engine, 'ruled'), [], 'no schedule, no run');
    const scheduled = engine.maintenance(day);
    await scheduled.round();
    const [first = ''] = await runsOf(engine, 'ruled');
    assert.match(first, / done$/);
    await scheduled.round();
    assert.deepEqual(await runsOf(engine, 'ruled'), [first], 'a day is not over');
    assert.deepEqual(await runsOf(engine, 'unruled'), []);
    await engine.maintenance(1).round();
    assert.equal((await runsOf(engine, 'ruled')).length, 2);
  });

  it('ends the run of a server that died', async t => {
    const engine = await open(t);
    const repository = await create(engine, 'orphaned');
    const { address } = await engine.catalog.putObject('orphaned', 'main', 'x', Buffer.from('x'));
    await engine.catalog.resetBranch('orphaned', 'main', { type: 'all' });
    await sleep(2);
    const dying = collectorOn(engine, 'dying', mortal(engine, 8), withoutBeats);
    const run = await dying.start(repository, { mode: 'run' });
    await dying.wait(run);
    assert.ok(await exists(engine, 'orphaned', address));
    const maintenance = engine.maintenance();
    while (await exists(engine, 'orphaned', address)) {
      await maintenance.round();
      await sleep(20);
    }
    assert.deepEqual(await runsOf(engine, 'orphaned'), [`${run} done`]);
  });

  it('ends the run of a server that was away for longer than its lease', async t => {
    const engine = await open(t);
    const repository = await create(engine, 'slept');
    const { address } = await engine.catalog.putObject('slept', 'main', 'x', Buffer.from('x'));
    await engine.catalog.resetBranch('slept', 'main', { type: 'all' });
    await sleep(2);
    let batches = 0;
    engine.kernel.hooks.gcSweep.tapPromise({ name: 'gc', stage: -1 }, async batch => {
      if (++batches === 1) for (const since = performance.now(); performance.now() - since < shortTimes.stale; );
      return removeBatch(batch, { block: engine.block, parallelism: 1 });
    });
    const sleeping = collectorOn(engine, 'sleeping');
    const run = await sleeping.start(repository, { mode: 'run' });
    await sleeping.wait(run);
    assert.equal((await sleeping.records.get(repository, run)).phase, 'sweeping', 'it has not ended');
    assert.ok(await exists(engine, 'slept', address), 'nothing was removed without a lease');
    const maintenance = engine.maintenance();
    while (await exists(engine, 'slept', address)) {
      await maintenance.round();
      await sleep(20);
    }
    assert.deepEqual(await runsOf(engine, 'slept'), [`${run} done`]);
  });

  it('empties quarantines whose time is over, no others, however their runs ended', async t => {
    const engine = await open(t);
    endAsNamed(engine);
    for (const phase of ['done', 'failed', 'cancelled'] as const) {
      const { repository, run, address } = await quarantined(engine, phase);
      await engine.maintenance().round();
      assert.equal(await engine.gc.restore(phase, run), 1, phase);
      assert.ok(await exists(engine, phase, address), phase);
      await letPass(engine, repository, run, 3);
      await engine.maintenance().round();
      await assert.rejects(engine.gc.restore(phase, run), /kept nothing/);
      assert.ok(!(await exists(engine, phase, `_srv/quarantine/${run}/${address}`)), phase);
    }
  });

  it('leaves the quarantine of a run that another server will resume', async t => {
    const engine = await open(t);
    endAsNamed(engine);
    const { repository, run, address } = await quarantined(engine, 'failed');
    await letPass(engine, repository, run, 3, { phase: 'sweeping' });
    // Its lease is held.
    const lease = JSON.stringify({ owner: 'other', run, epoch: 2, beat: 1, deleting: false });
    await engine.kv.set(partitionOf(repository), Buffer.from('gc/lease'), Buffer.from(lease));
    await engine.maintenance().round();
    assert.equal(await engine.gc.restore('failed', run), 1);
    assert.ok(await exists(engine, 'failed', address));
  });

  it('looks after the rest of a repository whose quarantine cannot be emptied', async t => {
    const engine = await open(t);
    endAsNamed(engine);
    const { repository, run } = await quarantined(engine, 'done');
    await letPass(engine, repository, run, 3);
    await engine.gc.setRules('done', { defaultRetentionDays: 1, branches: [] });
    const maintained: string[] = [];
    const lifecycle = { maintain: async ({ id }: Repository) => void maintained.push(id) };
    const walk = t.mock.method(engine.block, 'walk', () => {
      throw new SrvError('unavailable', 'the store is away');
    });
    await engine.maintenance(1, lifecycle).round();
    walk.mock.restore();
    assert.deepEqual(maintained, ['done']);
    assert.equal((await runsOf(engine, 'done')).length, 2, 'the scheduled run has begun');
    assert.equal((await engine.gc.getRun('done', run)).quarantineDays, 2);
  });

  it('removes the lists of repositories that do not exist, unless they were used within a day', async t => {
    const engine = await open(t);
    const { instanceUid } = await create(engine, 'present');
    const cache = join(engine.folder, 'gc');
    const [left, recent, used] = [xid(), xid(), xid()];
    for (const name of [instanceUid, left, recent, used, 'other']) await mkdir(join(cache, name, 'runs', 'one'), { recursive: true });
    for (const name of [instanceUid, left, used, 'other'])
      for (const path of [name, join(name, 'runs'), ...(name === used ? [] : [join(name, 'runs', 'one')])])
        await utimes(join(cache, path), daysAgo(2), daysAgo(2));
    await engine.maintenance().round();
    assert.deepEqual((await readdir(cache)).toSorted(), [instanceUid, recent, used, 'other'].toSorted());
  });

  it('frees the record of a run that only marked, so that it can go with the old reports', async t => {
    const engine = await open(t);
    const repository = await create(engine, 'marked');
    const { id, quarantineDays } = await collect(engine.gc, 'marked', { mode: 'mark', quarantineDays: 2 });
    await letPass(engine, repository, id, 3);
    await engine.maintenance().round();
    assert.deepEqual([quarantineDays, (await engine.gc.getRun('marked', id)).quarantineDays], [2, 0]);
  });
});

/** Runs end as the names of their repositories say, after their first batch. */
function endAsNamed({ kernel, block, gc }: Maintained): void {
  kernel.hooks.gcSweep.tapPromise({ name: 'gc', stage: -1 }, async batch => {
    const result = await removeBatch(batch, { block, parallelism: 1 });
    if (batch.repository === 'failed') throw new SrvError('unavailable', 'the store is away');
    if (batch.repository === 'cancelled') await gc.cancel(batch.repository, batch.runId);
    throwIfAborted(batch.signal);
    return result;
  });
}

/** A run of a repository of that name that has moved an object to quarantine, for two days, before it ended in that phase. */
async function quarantined(engine: Maintained, phase: 'done' | 'failed' | 'cancelled') {
  const repository = await create(engine, phase);
  const { address } = await engine.catalog.putObject(phase, 'main', 'x', Buffer.from('x'));
  await engine.catalog.resetBranch(phase, 'main', { type: 'all' });
  const run = await collect(engine.gc, phase, { quarantineDays: 2 });
  assert.deepEqual([run.phase, await exists(engine, phase, address)], [phase, false]);
  return { repository, run: run.id, address };
}

/** As if the run had ended that many days ago. */
async function letPass(engine: Maintained, repository: Repository, run: string, days: number, change: Partial<Run> = {}): Promise<void> {
  const record = await collectorOn(engine, 'records').records.get(repository, run);
  const aged = { ...record, ...change, updatedAt: Date.now() - days * day };
  await engine.kv.set(partitionOf(repository), Buffer.from(`gc/runs/${run}`), Buffer.from(JSON.stringify(aged)));
}

it('another server can cancel a sweep', async t => {
  const engine = await open(t);
  const repository = await create(engine, 'cancelled');
  const made = await Promise.all(
    Array.from({ length: 1500 }, (_, i) => engine.catalog.putObject('cancelled', 'main', `${i}`, Buffer.from('x'))),
  );
  await engine.catalog.resetBranch('cancelled', 'main', { type: 'all' });
  await sleep(2);
  const [working, other] = [collectorOn(engine, 'working', engine, patient), collectorOn(engine, 'other', engine, patient)];
  let batches = 0;
  engine.kernel.hooks.gcSweep.tapPromise({ name: 'gc', stage: -1 }, async batch => {
    if (++batches === 1) await other.cancel(repository, batch.runId);
    // The next one continues once the progress of the first is stored.
    else while ((await working.records.get(repository, batch.runId)).swept === 0) await sleep(2);
    return removeBatch(batch, { block: engine.block, parallelism: 8 });
  });
  const run = await working.start(repository, { mode: 'run' });
  await working.wait(run);
  const { phase, error, deleted } = await working.records.get(repository, run);
  assert.deepEqual([phase, error], ['cancelled', 'the run was cancelled']);
  assert.ok(deleted < made.length, `${deleted} of ${made.length} were removed`);
});

it('counts runs, objects and bytes', async t => {
  const engine = await open(t);
  await create(engine, 'counted');
  await engine.catalog.putObject('counted', 'main', 'kept', Buffer.from('kept'));
  await engine.catalog.commit('counted', 'main', { committer: 't', message: 'm' });
  await engine.catalog.putObject('counted', 'main', 'x', Buffer.from('12345'));
  await engine.catalog.resetBranch('counted', 'main', { type: 'all' });
  const { id } = await collect(engine.gc, 'counted');
  const counts = new Map<string, number>();
  const metrics: Metrics = {
    ...noopMetrics,
    counter: ({ name }: { readonly name: string }) => ({
      labels: (...labels: readonly string[]) => ({
        add: (amount = 1) => {
          const key = [name, ...labels].join(' ');
          counts.set(key, (counts.get(key) ?? 0) + amount);
        },
      }),
    }),
  };
  const measure = runMeter(metrics);
  const repository = await engine.catalog.getRepository('counted');
  measure(await collectorOn(engine, 'records').records.get(repository, id));
  assert.deepEqual(Object.fromEntries(counts), {
    'gc_runs_total done': 1,
    'gc_objects_total listed': 2,
    'gc_objects_total kept': 1,
    'gc_objects_total candidates': 1,
    'gc_objects_total deleted': 1,
    'gc_objects_total spared': 0,
    'gc_objects_total failed': 0,
    gc_deleted_bytes_total: 5,
  });
});

it('begins at most the given number of removals per second', async () => {
  let now = 0;
  const clock = {
    now: () => now,
    sleep: async (milliseconds: number) => {
      now += milliseconds;
    },
  };
  const limiter = new RateLimiter(100, clock);
  const begun: number[] = [];
  for (const count of [10, 50, 1, 0, 5]) {
    await limiter.acquire(count);
    begun.push(now);
  }
  assert.deepEqual(begun, [0, 100, 600, 610, 610]);
  const free = new RateLimiter(0, clock);
  await free.acquire(1_000_000);
  await free.acquire(1);
  assert.equal(now, 610);
});

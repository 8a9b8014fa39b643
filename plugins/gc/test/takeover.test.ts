/** A run whose server has died is resumed before another one begins. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLease } from '../src/run/lease.js';
import { isOver } from '../src/run/run-record.js';
import { collectorOn, mortal, ofSurvivor, withoutBeats } from './collectors.js';
import { ageless, openEngine } from './fixture.js';
import type { Repository } from '@srv/engine/contract';
import type { OpenEngine } from './fixture.js';

it('a start that finds the lease of a dead run resumes that run, whenever its server died', async t => {
  const engine = await openEngine({ config: ageless });
  t.after(() => engine.stop());
  let died = 0;
  for (let writes = 1; writes <= 24; writes++) {
    const id = `repo-${writes}`;
    const repository = await engine.catalog.createRepository({ id, storageNamespace: `mem://bucket/${id}` });
    await engine.catalog.putObject(id, 'main', 'lost', Buffer.from('lost'));
    await engine.catalog.resetBranch(id, 'main', { type: 'all' });
    await sleep(2);
    const dying = collectorOn(engine, `dying-${writes}`, mortal(engine, writes), withoutBeats);
    await dying
      .start(repository, { mode: 'run' })
      .then(run => dying.wait(run))
      .catch(() => undefined);
    const other = collectorOn(engine, `other-${writes}`, engine, ofSurvivor);
    const { state } = await readLease(engine.kv, repository);
    const dead = state.owner === '' ? undefined : await other.records.find(repository, state.run);
    if (!dead || isOver(dead)) continue;
    died++;
    // The first read; from then on the lease stands still.
    await other.resume(repository);
    await sleep(ofSurvivor.stale + 20);
    await assert.rejects(other.start(repository, { mode: 'run' }), { code: 'conflict', message: new RegExp(`run ${dead.id} collects`) });
    await other.wait(dead.id);
    const { state: taken } = await readLease(engine.kv, repository);
    assert.deepEqual([taken.run, taken.epoch > state.epoch], [dead.id, true], `the run that died after ${writes} writes is resumed`);
    assert.equal((await other.records.get(repository, dead.id)).phase, 'done', `died after ${writes} writes`);
  }
  assert.ok(died > 5, `${died} died in a run`);
});

it('other work that finds the lease of a dead run leaves the run to be resumed before another one begins', async t => {
  const engine = await openEngine({ config: ageless });
  t.after(() => engine.stop());
  const repository = await engine.catalog.createRepository({ id: 'repo', storageNamespace: 'mem://bucket/repo' });
  await engine.catalog.putObject('repo', 'main', 'lost', Buffer.from('lost'));
  await engine.catalog.resetBranch('repo', 'main', { type: 'all' });
  await sleep(2);
  const next = collectorOn(engine, 'next', engine, ofSurvivor, 'second');
  const dead = await interrupted(engine, repository);
  await next.exclusively(repository, async () => {});
  assert.equal((await readLease(engine.kv, repository)).state.owner, '');
  await assert.rejects(next.start(repository, { mode: 'run' }), { code: 'conflict', message: new RegExp(`run ${dead} collects`) });
  while (!isOver(await next.records.get(repository, dead))) {
    await next.resume(repository);
    await next.wait(dead);
    await sleep(10);
  }
  assert.equal((await next.records.get(repository, dead)).phase, 'done');
  await next.wait(await next.start(repository, { mode: 'run' }));
});

/** @returns a run whose program has ended. */
async function interrupted(engine: OpenEngine, repository: Repository): Promise<string> {
  for (let writes = 3; writes <= 40; writes++) {
    const dying = collectorOn(engine, `dying-${writes}`, mortal(engine, writes), withoutBeats, 'first');
    await dying
      .start(repository, { mode: 'run' })
      .then(run => dying.wait(run))
      .catch(() => undefined);
    const { state } = await readLease(engine.kv, repository);
    const record = state.owner === '' ? undefined : await collectorOn(engine, 'reading').records.find(repository, state.run);
    if (record && !isOver(record)) return record.id;
  }
  throw new Error('no run was interrupted');
}

it('on a database that one program has at a time, a new program resumes the run of the one that was killed at once', async t => {
  const engine = await openEngine({ config: ageless });
  t.after(() => engine.stop());
  const repository = await engine.catalog.createRepository({ id: 'repo', storageNamespace: 'mem://bucket/repo' });
  for (let writes = 3; ; writes++) {
    const dying = collectorOn(engine, `dying-${writes}`, mortal(engine, writes), withoutBeats, 'first');
    await dying
      .start(repository, { mode: 'run' })
      .then(run => dying.wait(run))
      .catch(() => undefined);
    const { state } = await readLease(engine.kv, repository);
    const peer = collectorOn(engine, 'peer', engine, withoutBeats, 'first');
    const next = collectorOn(engine, 'next', engine, withoutBeats, 'second');
    const record = state.owner === '' ? undefined : await next.records.find(repository, state.run);
    if (!record || isOver(record)) {
      if (writes > 40) throw new Error('no run was interrupted');
      continue;
    }
    // One of the same program cannot know.
    await peer.resume(repository);
    assert.equal((await next.records.get(repository, record.id)).phase, record.phase);
    await next.resume(repository);
    await next.wait(record.id);
    assert.equal((await next.records.get(repository, record.id)).phase, 'done');
    await next.wait(await next.start(repository, { mode: 'run' }));
    return;
  }
});

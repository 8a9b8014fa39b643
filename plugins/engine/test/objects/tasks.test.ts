/** Tasks, the signs of life of their servers, and what is recorded while the database is away for a moment. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SrvError, silentLogger } from '@srv/kernel';
import { noopMetrics } from '@srv/kernel/metrics';
import { MemoryKvStore } from '@srv/kernel/testing';
import { Tasks } from '../../src/objects/tasks.js';
import { commit, newRepository, openEngine, untilDone } from './fixture.js';
import type { Repository } from '../../src/refs/contract.js';

const repository = { id: 'repo', instanceUid: 'uid' } as Repository;
const nothing = Buffer.alloc(0);
const day = 86_400_000;

/** A database that keeps writes waiting while it is held. */
class HeldKvStore extends MemoryKvStore {
  #held: Promise<void> | undefined;

  /** @returns what lets the writes happen. */
  hold(): () => void {
    let release = (): void => undefined;
    this.#held = new Promise(resolve => {
      release = resolve;
    });
    return release;
  }

  override async set(...args: Parameters<MemoryKvStore['set']>): Promise<void> {
    await this.#held;
    return super.set(...args);
  }
}

/** Writes of records of tasks fail a number of times. */
class FaultyKv extends MemoryKvStore {
  failures = 0;

  override async set(...args: Parameters<MemoryKvStore['set']>): Promise<void> {
    if (args[1].toString().startsWith('tasks/') && this.failures-- > 0) throw new Error('connection reset');
    return super.set(...args);
  }
}

/** Work that lasts until it is ended. */
function endable(): { readonly work: () => Promise<Buffer>; readonly end: () => void } {
  let end = (): void => undefined;
  const ended = new Promise<Buffer>(resolve => {
    end = () => resolve(nothing);
  });
  return { work: () => ended, end };
}

const turn = (): Promise<void> => new Promise(resolve => void setImmediate(resolve));

describe('a task that runs', () => {
  it('counts as alive when another one ends while it is being stored', async t => {
    t.mock.timers.enable({ apis: ['Date', 'setInterval'], now: Date.now() });
    const kv = new HeldKvStore();
    const tasks = new Tasks({ kv, log: silentLogger, metrics: noopMetrics });
    const { work, end } = endable();
    const first = await tasks.submit(repository, 'commit_async', work);
    const release = kv.hold();
    end();
    const submitting = tasks.submit(repository, 'merge_async', () => new Promise(() => undefined));
    release();
    const second = await submitting;
    for (let seconds = 0; seconds < 120; seconds += 5) {
      await turn();
      t.mock.timers.tick(5000);
    }
    await turn();
    assert.equal((await tasks.get(repository, 'commit_async', first)).done, true);
    assert.equal((await tasks.get(repository, 'merge_async', second)).done, false);
  });

  it('is kept for as long as it runs, and for a day after its end', async t => {
    t.mock.timers.enable({ apis: ['Date', 'setInterval'], now: Date.now() });
    const tasks = new Tasks({ kv: new MemoryKvStore(), log: silentLogger, metrics: noopMetrics });
    const { work, end } = endable();
    const id = await tasks.submit(repository, 'move_storage', work);
    const after = async (ms: number): Promise<boolean | undefined> => {
      t.mock.timers.setTime(Date.now() + ms - 5000);
      t.mock.timers.tick(5000);
      await turn();
      await tasks.clean(repository);
      return tasks.get(repository, 'move_storage', id).then(
        ({ done }) => done,
        () => undefined,
      );
    };
    assert.equal(await after(2 * day), false);
    end();
    await turn();
    assert.equal(await after(day / 2), true);
    assert.equal(await after(day), undefined);
  });
});

describe('a task whose end cannot be stored for a moment', () => {
  it('has succeeded when its work has', async t => {
    const kv = new FaultyKv();
    const { engine, kernel } = await openEngine(t, {}, kv);
    await newRepository(engine, 'repo', 'a');
    // Only the end of the task is stored after this.
    kernel.hooks.event.for('pre-commit').tapPromise('test', async () => {
      kv.failures = 1;
    });
    const id = await engine.submitCommit('repo', 'main', commit);
    const { error, commit: made } = await untilDone(() => engine.commitStatus('repo', id));
    assert.deepEqual([error, made?.id], [undefined, (await engine.getBranch('repo', 'main')).commitId]);
    assert.ok(kv.failures <= 0);
  });

  it('has failed when its work has', async t => {
    const kv = new FaultyKv();
    const { engine, kernel } = await openEngine(t, {}, kv);
    await newRepository(engine, 'repo', 'a');
    kernel.hooks.event.for('pre-commit').tapPromise('test', async () => {
      kv.failures = 1;
      throw new SrvError('hook_aborted', 'not today');
    });
    const id = await engine.submitCommit('repo', 'main', commit);
    const { error, statusCode } = await untilDone(() => engine.commitStatus('repo', id));
    assert.match(error ?? '', /not today/);
    assert.equal(statusCode, 412);
  });
});

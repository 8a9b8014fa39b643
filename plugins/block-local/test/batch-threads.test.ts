/** Which thread takes which jobs. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { rejectsWith, until } from '@srv/kernel/testing';
import { BatchThreads } from '../src/server/small-files/batch-threads.js';

/** Answers a batch with its size and the thread; a job that is held is answered once it is released. */
const script = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads';
    parentPort.on('message', ({ jobs }) => {
      for (const held of jobs) {
        if (!held) continue;
        Atomics.add(held, 1, 1);
        Atomics.wait(held, 0, 0);
      }
      parentPort.postMessage(jobs.map(() => ({ thread: threadId, size: jobs.length })));
    });`)}`,
);
const long = 600_000;

type Job = Int32Array | undefined;
interface Answer {
  readonly thread: number;
  readonly size: number;
}

describe('threads that take jobs in batches', () => {
  let held: Int32Array;
  let threads: BatchThreads<Job, Answer>;
  let busy: Promise<Answer>;

  const start = async (patience: number, batch = 8): Promise<void> => {
    threads = new BatchThreads({ script, threads: 2, batch, patience, pack: jobs => ({ message: { jobs } }), unpack: answers => answers });
    busy = threads.run(held);
    busy.catch(() => undefined);
    await until(() => Atomics.load(held, 1) > 0);
  };
  const release = (): void => {
    Atomics.store(held, 0, 1);
    Atomics.notify(held, 0);
  };
  beforeEach(() => {
    held = new Int32Array(new SharedArrayBuffer(8));
  });
  afterEach(async () => {
    release();
    await threads.close();
  });

  it('send what comes while one is busy together, to that one', async () => {
    await start(long);
    const waiting = [threads.run(undefined), threads.run(undefined), threads.run(undefined)];
    release();
    const { thread } = await busy;
    assert.deepEqual(
      await Promise.all(waiting),
      waiting.map(() => ({ thread, size: 3 })),
    );
  });

  it('do not wait for one that is busy for long', async () => {
    await start(1);
    const other = await threads.run(undefined);
    release();
    assert.notEqual(other.thread, (await busy).thread);
  });

  it('do not wait at all without patience, or with a full batch', async () => {
    for (const [patience, batch] of [
      [0, 8],
      [long, 2],
    ] as const) {
      held = new Int32Array(new SharedArrayBuffer(8));
      await start(patience, batch);
      const others = await Promise.all([threads.run(undefined), threads.run(undefined)]);
      release();
      const { thread } = await busy;
      assert.ok(others.every(other => other.thread !== thread));
      if (patience === 0) await threads.close();
    }
  });

  it('fail what waits when they are closed', async () => {
    await start(long);
    const waiting = threads.run(undefined);
    const refused = rejectsWith(() => waiting, 'closed');
    await threads.close();
    await refused;
    await rejectsWith(() => busy, 'unavailable');
    await rejectsWith(() => threads.run(undefined), 'closed');
  });
});

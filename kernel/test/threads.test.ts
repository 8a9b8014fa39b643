import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { scratchFolder, until } from '@srv/kernel/testing';
import { SpareThreads } from '@srv/kernel/threads';

function echoes(limit: number): SpareThreads {
  const script = join(scratchFolder(), 'echo.mjs');
  writeFileSync(
    script,
    `import { parentPort } from 'node:worker_threads';
    let answers = 0;
    parentPort.on('message', text => {
      if (text === 'die') process.exit(1);
      parentPort.postMessage(text + ++answers);
    });`,
  );
  return new SpareThreads(pathToFileURL(script), {}, limit);
}

test('a thread that was given back is taken again, without the listeners of its owner', async () => {
  const threads = echoes(1);
  const first = threads.take();
  const heard: unknown[] = [];
  first.on('message', text => heard.push(text));
  first.postMessage('a');
  await once(first, 'message');
  await threads.giveBack(first);
  assert.equal(threads.size, 1);
  const second = threads.take();
  assert.equal(threads.size, 0);
  second.postMessage('b');
  assert.deepEqual([heard, await once(second, 'message')], [['a1'], ['b2']]);
  assert.deepEqual(heard, ['a1']);
  await second.terminate();
});

test('no more are kept than may be; one that dies while it waits is not handed out', async () => {
  const threads = echoes(1);
  const [kept, surplus] = [threads.take(), threads.take()];
  await threads.giveBack(kept);
  await threads.giveBack(surplus);
  assert.deepEqual([threads.size, surplus.threadId], [1, -1]);
  kept.postMessage('die');
  await until(() => threads.size === 0);
  const fresh = threads.take();
  fresh.postMessage('c');
  assert.deepEqual(await once(fresh, 'message'), ['c1']);
  await fresh.terminate();
});

test('a thread that has posted its last message waits for its owner to end it', async () => {
  const script = join(scratchFolder(), 'once.mjs');
  writeFileSync(script, `import { postLast } from ${JSON.stringify(import.meta.resolve('@srv/kernel/threads'))};\npostLast('all');`);
  const thread = new Worker(pathToFileURL(script));
  const codes: number[] = [];
  thread.on('exit', code => codes.push(code));
  assert.deepEqual(await once(thread, 'message'), ['all']);
  await sleep(100);
  assert.deepEqual(codes, []);
  await thread.terminate();
  assert.deepEqual(codes, [1]);
});

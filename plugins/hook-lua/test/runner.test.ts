/** Threads of scripts: how many, what they show meanwhile, and how they end. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestRunner } from './run-script.js';
import type { Reply } from '../src/thread/protocol.js';

const body = (text: string): Reply => ({ kind: 'answer', status: 200, body: Buffer.from(text) });
const ask = 'local code, text = require("lakefs").get_object("r", "m", "p") print(code, text)';

it('shows output while the script runs', async () => {
  const scripts = new TestRunner();
  const seen: string[] = [];
  let answer: (() => void) | undefined;
  const asked = new Promise<void>(resolve => {
    answer = resolve;
  });
  const { output } = await scripts.run(`print("before") ${ask} print("after")`, {
    log: text => {
      seen.push(text);
      if (text === 'before\n') answer?.();
    },
    call: async () => {
      // The answer comes only once the output has been seen.
      await asked;
      return body('x');
    },
  });
  assert.deepEqual(seen, ['before\n', '200\tx\n', 'after\n']);
  assert.equal(output, 'before\n200\tx\nafter\n');
  await scripts.close();
});

it('lets a script wait for another one where only one may run', async () => {
  const scripts = new TestRunner({ threads: 1 });
  const { output } = await scripts.run(ask, {
    call: async () => {
      const inner = await scripts.run('print("inner")');
      return body(inner.output.trim());
    },
  });
  assert.equal(output, '200\tinner\n');
  await scripts.close();
});

it('runs no more scripts at a time than allowed', async () => {
  const scripts = new TestRunner({ threads: 2 });
  let [running, most] = [0, 0];
  const one = () =>
    scripts.run('print("on") require("time").sleep(300e6) print("off")', {
      log: text => {
        running += text === 'on\n' ? 1 : -1;
        most = Math.max(most, running);
      },
    });
  const outcomes = await Promise.all(Array.from({ length: 8 }, one));
  assert.ok(outcomes.every(({ failure }) => failure === undefined));
  assert.ok(most >= 1 && most <= 2, `${most} at a time`);
  await scripts.close();
});

it('gives up its place in the queue when its caller no longer waits', async () => {
  const scripts = new TestRunner({ threads: 1 });
  const [first, second] = [new AbortController(), new AbortController()];
  const running = scripts.run('while true do end', { signal: first.signal });
  const queued = scripts.run('print("never")', { signal: second.signal });
  second.abort();
  assert.match((await queued).failure ?? '', /was not started/);
  first.abort();
  assert.match((await running).failure ?? '', /was stopped/);
  assert.deepEqual(await scripts.run('print("next")'), { output: 'next\n' });
  await scripts.close();
});

it('lets scripts of a repository run while those of another are endless', async () => {
  const scripts = new TestRunner({ threads: 2, perRepository: 2, reserve: 1 });
  const stop = new AbortController();
  const endless = Array.from({ length: 6 }, () => scripts.run('while true do end', { repository: 'hog', signal: stop.signal }));
  assert.deepEqual(await scripts.run('print("served")', { repository: 'lakes' }), { output: 'served\n' });
  assert.deepEqual(await scripts.run('print("again")', { repository: 'lakes' }), { output: 'again\n' });
  stop.abort();
  for (const { failure } of await Promise.all(endless)) assert.match(failure ?? '', /was stopped|was not started/);
  await scripts.close();
});

it('ends scripts when it closes, and takes no more', async () => {
  const scripts = new TestRunner();
  const running = scripts.run('print("up") while true do end', { log: () => void scripts.close() });
  assert.notEqual((await running).failure, undefined);
  assert.match((await scripts.run('print(1)')).failure ?? '', /the server is stopping/);
});

it('passes on why the server gave no answer', async () => {
  const scripts = new TestRunner();
  const { failure } = await scripts.run(ask, { call: () => Promise.reject(new Error('the store is closed')) });
  assert.match(failure ?? '', /the store is closed/);
  await scripts.close();
});

it('passes on that an answer cannot be sent', async () => {
  const scripts = new TestRunner();
  const moved = new Uint8Array(10_000);
  structuredClone(moved, { transfer: [moved.buffer] });
  const { failure } = await scripts.run(ask, { call: () => Promise.resolve({ kind: 'answer', status: 200, body: moved }) });
  assert.match(failure ?? '', /cloned|transfer/);
  await scripts.close();
});

it('stops asking when the script is stopped', async () => {
  const scripts = new TestRunner();
  const caller = new AbortController();
  let signal: AbortSignal | undefined;
  const run = scripts.runner.run({
    job: { script: Buffer.from(ask), action: {}, args: {}, username: 'ann', netHttp: false },
    repository: 'lakes',
    timeout: 60_000,
    signal: caller.signal,
    log: () => undefined,
    call: async (_, given) => {
      signal = given;
      const aborted = once(given, 'abort');
      caller.abort(new Error('the caller has left'));
      await aborted;
      return body('late');
    },
  });
  await assert.rejects(run);
  assert.equal(signal?.aborted, true);
  await scripts.close();
});

it('runs scripts after others were stopped in the middle of a call', async () => {
  const scripts = new TestRunner({ threads: 2, perRepository: 2 });
  const stop = new AbortController();
  const replies: ((reply: Reply) => void)[] = [];
  const stopped = [1, 2].map(() =>
    scripts.run(ask, {
      signal: stop.signal,
      // The calls end only after their scripts.
      call: () =>
        new Promise(resolve => {
          if (replies.push(resolve) === 2) stop.abort();
        }),
    }),
  );
  for (const { failure } of await Promise.all(stopped)) assert.match(failure ?? '', /was stopped/);
  for (const reply of replies) reply(body('late'));
  await new Promise(resolve => setImmediate(resolve));
  assert.deepEqual(await scripts.run('print("next")', { timeout: 10_000 }), { output: 'next\n' });
  await scripts.close();
});

it('waits for other scripts as long as a script may usually take, whatever its own limit is', async () => {
  const scripts = new TestRunner({ threads: 1, total: 100 });
  const stop = new AbortController();
  const first = scripts.run('while true do end', { signal: stop.signal, timeout: 600_000 });
  const late = await scripts.run('print("late")', { timeout: 600_000 });
  assert.match(late.failure ?? '', /was not started: other scripts ran for 0.1 s/);
  stop.abort();
  await first;
  assert.deepEqual(await scripts.run('print("next")', { timeout: 600_000 }), { output: 'next\n' });
  await scripts.close();
});

it('bounds output that is not read fast enough', async () => {
  const scripts = new TestRunner();
  let bytes = 0;
  const { failure } = await scripts.run('for i = 1, 2000 do print(("x"):rep(1000)) end print(("y"):rep(3e6))', {
    log: text => {
      bytes += text.length;
    },
  });
  assert.equal(failure, undefined);
  // A single line longer than a mebibyte is cut.
  assert.ok(bytes > 2000 * 1001 + 2 ** 20 && bytes < 2000 * 1001 + 2 ** 20 + 1000, String(bytes));
  await scripts.close();
});

it('beyond mostCompiled: regular expressions match as before', async () => {
  const scripts = new TestRunner();
  const { output } = await scripts.run(
    'local regexp = require("regexp") for i = 1, 120 do assert(regexp.match("^a" .. i .. "$", "a" .. i)) end print(regexp.match("^a1$", "a1"), regexp.match("^a1$", "a2"))',
  );
  assert.equal(output, 'true\tfalse\n');
  await scripts.close();
});

it('keeps the environment of the server from scripts', async () => {
  process.env['LUA_TEST_SECRET'] = 'hidden';
  const scripts = new TestRunner();
  const { output } = await scripts.run('print(args.x, os, package.config ~= nil)', { args: { x: '{{ ENV.LUA_TEST_SECRET }}' } });
  assert.equal(output, '{{ ENV.LUA_TEST_SECRET }}\tnil\ttrue\n');
  delete process.env['LUA_TEST_SECRET'];
  await scripts.close();
});

it('keeps a spare thread, which runs one script like any other', async () => {
  const scripts = new TestRunner();
  assert.deepEqual(await scripts.run('x = 1 print(x)'), { output: '1\n' });
  // The next thread is started by now, and does not know the previous script.
  await sleep(50);
  assert.deepEqual(await scripts.run('print(x)'), { output: 'nil\n' });
  await scripts.close();
});

it('lets scripts end when the server stops, and keeps no thread for later', async () => {
  const scripts = new TestRunner();
  let retired: Promise<void> | undefined;
  const { output } = await scripts.run(`print("on") ${ask} print("off")`, {
    log: () => {
      retired ??= scripts.runner.retire();
    },
    call: () => Promise.resolve(body('x')),
  });
  await retired;
  assert.equal(output, 'on\n200\tx\noff\n');
  assert.deepEqual(await scripts.run('print("a last one")'), { output: 'a last one\n' });
  await scripts.close();
});

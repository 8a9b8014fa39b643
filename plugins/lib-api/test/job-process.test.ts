/** Jobs in processes of their own, by all their ends. */
import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { rejectsWith } from '@srv/kernel/testing';
import { runInProcess } from '../src/job-process/run.js';
import type { ProcessJob } from '../src/job-process/run.js';

const run = (job: object, options: Partial<ProcessJob> = {}) =>
  runInProcess({
    program: new URL('./job-program.js', import.meta.url),
    job,
    folder: tmpdir(),
    heap: 64,
    name: 'the job',
    timeout: { ms: 60_000, key: 'some.timeout' },
    signal: undefined,
    ...options,
  });

test('a job is answered, in the folder that it has, without the environment of the server', async t => {
  process.env['TEST_SECRET'] = 'secret';
  t.after(() => delete process.env['TEST_SECRET']);
  assert.deepEqual(await run({ kind: 'echo', text: 'ü\0' }), ['ü\0', realpathSync(tmpdir()), []]);
});

test('questions of the process are settled before its answer', async () => {
  const asked: unknown[] = [];
  const settle = async (question: unknown): Promise<void> => void asked.push(question);
  assert.equal(await run({ kind: 'ask' }, { settle }), 'asked');
  assert.deepEqual(asked, ['first', 'second']);
  await assert.rejects(run({ kind: 'ask' }, { settle: () => Promise.reject(new Error('no space')) }), /no space/);
});

test('a process that ends without an answer is an error, unless a signal ended it and that says enough', async () => {
  await rejectsWith(() => run({ kind: 'exit' }), 'unavailable', /^the job ended its process \(code 3\); the next one gets a new one$/);
  await rejectsWith(() => run({ kind: 'abort' }), 'unavailable', /^the job ended its process \(SIGABRT\)/);
  assert.equal(await run({ kind: 'abort' }, { answerWhenKilled: 'killed' }), 'killed');
  await rejectsWith(() => run({ kind: 'exit' }, { answerWhenKilled: 'killed' }), 'unavailable', /code 3/);
});

test('a job ends with its time and with its caller', async () => {
  const short = { timeout: { ms: 30, key: 'some.timeout' } };
  await rejectsWith(() => run({ kind: 'wait' }, short), 'timeout', /^the job took longer than 30 ms \(some\.timeout\)$/);
  const caller = new AbortController();
  const waiting = run({ kind: 'wait' }, { signal: caller.signal });
  setTimeout(() => caller.abort(), 20);
  await rejectsWith(() => waiting, 'cancelled', /./);
  await rejectsWith(() => run({ kind: 'wait' }, { signal: AbortSignal.abort() }), 'cancelled', /./);
});

test('memory outside of the heap counts', async () => {
  assert.equal(await run({ kind: 'fill' }), 'too much');
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SrvError, silentLogger } from '@srv/kernel';
import { persistently } from '../src/index.js';
import type { ErrorCode } from '@srv/kernel';

/** Fails a number of times before it succeeds. @returns it, and how often it was called. */
function failing(times: number, error: Error) {
  const calls = { count: 0 };
  const attempt = async (): Promise<string> => {
    if (calls.count++ < times) throw error;
    return 'stored';
  };
  return { calls, attempt };
}

const options = (signal = new AbortController().signal) => ({ signal, log: silentLogger, what: { task: 'x' } });

describe('persistently', () => {
  it('repeats what passing faults stop', async () => {
    for (const error of [new Error('connection reset'), new SrvError('unavailable', 'away'), new SrvError('too_many_tries', 'slow')]) {
      const { calls, attempt } = failing(2, error);
      assert.equal(await persistently(attempt, options()), 'stored');
      assert.equal(calls.count, 3);
    }
  });

  it('gives up on what lasts', async () => {
    for (const code of ['not_found', 'gone', 'corrupt', 'read_only', 'closed'] satisfies ErrorCode[]) {
      const { calls, attempt } = failing(1, new SrvError(code, 'it lasts'));
      await assert.rejects(persistently(attempt, options()), { code });
      assert.equal(calls.count, 1);
    }
  });

  it('makes one more attempt when it is stopped, and no pause', async () => {
    const error = new Error('away');
    const stopped = AbortSignal.abort();
    const first = failing(9, error);
    await assert.rejects(persistently(first.attempt, options(stopped)), error);
    assert.equal(first.calls.count, 1);
    const stop = new AbortController();
    const second = failing(9, error);
    // It is stopped during the first pause.
    const log = { ...silentLogger, warn: () => void setImmediate(() => stop.abort()) };
    await assert.rejects(persistently(second.attempt, { ...options(stop.signal), log }), error);
    assert.equal(second.calls.count, 2);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { badRequest, conflict, entityTooLarge, unsupportedMediaType } from '@hapi/boom';
import { SrvError, errorCodes } from '@srv/kernel';
import { describe as describeError, failureOf, statusByCode } from '../src/server/errors.js';
import type { ServerResponse } from 'node:http';
import type { ErrorCode } from '@srv/kernel';

const codes = Object.keys(errorCodes) as ErrorCode[];

describe('errors', () => {
  it('have a status each', () => {
    assert.deepEqual(Object.keys(statusByCode).sort(), [...codes].sort());
  });

  it('have the statuses clients were written against', () => {
    const expected: Partial<Record<ErrorCode, number>> = {
      invalid: 400,
      no_changes: 400,
      dirty_branch: 400,
      unauthenticated: 401,
      denied: 401,
      forbidden: 403,
      protected: 403,
      read_only: 403,
      not_found: 404,
      not_unique: 409,
      conflict: 409,
      gone: 410,
      no_data: 410,
      precondition_failed: 412,
      hook_aborted: 412,
      too_many_tries: 429,
      cancelled: 499,
      internal: 500,
      unsupported: 501,
      slow_down: 503,
      storage_full: 507,
    };
    for (const [code, status] of Object.entries(expected))
      assert.equal(describeError(new SrvError(code as ErrorCode, 'x')).status, status, code);
  });

  it('show their own words where those are for callers', () => {
    assert.deepEqual(describeError(new SrvError('denied', 'insufficient permissions: not allowed to fs:X')), {
      status: 401,
      message: 'insufficient permissions: not allowed to fs:X',
    });
    assert.equal(describeError(new SrvError('no_data', 'bucket/key vanished')).message, 'No data');
    assert.equal(describeError(new SrvError('too_many_tries', 'x')).message, 'Too many attempts, try again later');
    assert.equal(describeError(new SrvError('slow_down', 'x')).message, 'Throughput exceeded. Slow down and retry');
    assert.equal(describeError(new SrvError('gone', 'x')).message, 'repository in deletion');
  });

  it('of an aborted request mean that it was cancelled, once its client has left', () => {
    const aborted = new DOMException('This operation was aborted', 'AbortError');
    const response = (destroyed: boolean) => ({ response: { destroyed } as ServerResponse });
    assert.equal(describeError(failureOf(aborted, response(true))).status, 499);
    assert.equal(describeError(failureOf(aborted, response(false))).status, 500, 'the abort was not that of the client');
    assert.equal(describeError(failureOf(new Error('x'), response(true))).status, 500);
  });

  it('name a full disk wherever it was met', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write /secret/path'), { code: 'ENOSPC' });
    for (const error of [full, new SrvError('internal', 'x', { cause: full }), new Error('x', { cause: full })]) {
      const { status, message } = describeError(error);
      assert.equal(status, 507);
      assert.match(message, /^the storage of the server is full/);
    }
  });

  it('name the limit of open files wherever it was met, and ask for another attempt', () => {
    const cause = Object.assign(new Error('EMFILE: too many open files, open /secret/path'), { code: 'EMFILE' });
    for (const error of [cause, new SrvError('internal', 'x', { cause }), new SrvError('unavailable', 'x', { cause })])
      assert.deepEqual(describeError(error), { status: 503, message: 'too many files are open on the server, try again later' });
  });

  it('never reveal what went wrong inside', () => {
    for (const secret of [
      new Error('password=hunter2'),
      'hunter2',
      undefined,
      new SrvError('internal', 'hunter2'),
      new SrvError('config', 'hunter2'),
      new SrvError('unavailable', 'hunter2'),
    ]) {
      assert.doesNotMatch(describeError(secret).message, /hunter2/);
      assert.ok(describeError(secret).status >= 500);
    }
  });

  it('of the framework keep their status, except for bodies of the wrong kind', () => {
    assert.deepEqual(describeError(badRequest('bad')), { status: 400, message: 'bad' });
    assert.equal(describeError(unsupportedMediaType()).status, 400);
    assert.equal(describeError(entityTooLarge('x')).status, 413);
    assert.equal(describeError(conflict('x')).status, 409);
  });
});

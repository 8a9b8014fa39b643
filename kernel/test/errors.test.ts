import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SrvError, isOutOfFiles, isSrvError, isStorageFull, throwIfAborted, writableRemedy } from '../src/errors.js';

test('errors are recognised by shape and code', () => {
  const error = new SrvError('not_found', 'gone', { details: { path: 'a' } });
  assert.deepEqual(error.details, { path: 'a' });
  assert.ok(isSrvError(error));
  assert.ok(isSrvError(error, 'invalid', 'not_found'));
  assert.equal(isSrvError(error, 'invalid'), false);
  assert.ok(!isSrvError(new Error('x')));
  assert.ok(isSrvError(Object.assign(new Error('copied'), { name: 'SrvError', code: 'closed' })));
});

test('an aborted signal is an error', () => {
  throwIfAborted(undefined);
  throwIfAborted(new AbortController().signal);
  assert.throws(() => throwIfAborted(AbortSignal.abort()), { code: 'cancelled' });
});

test('finds a full disk among the causes of an error', () => {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  const wrapped = new SrvError('unavailable', 'the object cannot be written', { cause: new Error('write failed', { cause: full }) });
  assert.ok(isStorageFull(wrapped));
  assert.ok(isStorageFull(new SrvError('storage_full', 'the quota is used up')));
  assert.ok(isStorageFull(Object.assign(new Error('file too large'), { code: 'EFBIG' })));
  assert.equal(isStorageFull(new SrvError('unavailable', 'gone', { cause: 'ENOSPC' })), false);
  const level = (message: string) => Object.assign(new Error(message), { code: 'LEVEL_IO_ERROR' });
  assert.ok(isStorageFull(new SrvError('config', 'it does not open', { cause: level('IO error: /a/1.ldb: No space left on device') })));
  assert.equal(isStorageFull(level('IO error: /a/1.ldb: Permission denied')), false);
  assert.equal(isStorageFull(new SrvError('not_found', 'object "No space left on device": not found')), false);
  assert.match(writableRemedy(wrapped), /free space/);
  assert.match(writableRemedy(level('IO error: /a/1.ldb: Permission denied')), /make it writable/);
  const circle = new Error('in a circle');
  circle.cause = circle;
  assert.equal(isStorageFull(circle), false);
});

test('finds the limit of open files among the causes of an error', () => {
  for (const code of ['EMFILE', 'ENFILE']) {
    const wrapped = new SrvError('internal', 'x', { cause: Object.assign(new Error('too many open files'), { code }) });
    assert.ok(isOutOfFiles(wrapped));
    assert.equal(isStorageFull(wrapped), false);
  }
  assert.ok(isOutOfFiles(Object.assign(new Error('IO error: /a/1.ldb: Too many open files'), { code: 'LEVEL_IO_ERROR' })));
  assert.equal(isOutOfFiles(new Error('Too many open files')), false);
});

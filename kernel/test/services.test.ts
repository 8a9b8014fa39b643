import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceRegistry, SrvError, isSrvError, silentLogger, throwIfAborted } from '../src/index.js';

test('a service is provided once, found by name, and missed with advice', () => {
  const services = new ServiceRegistry();
  assert.equal(services.find('log'), undefined);
  assert.throws(() => services.get('log'), {
    code: 'plugin',
    message: /^no plugin provides the service log; is the plugin that does enabled and listed in "requires"\?$/,
  });
  services.providedBy('first');
  services.provide('log', silentLogger);
  assert.equal(services.get('log'), silentLogger);
  assert.deepEqual(services.names(), ['log']);
  services.providedBy('second');
  assert.throws(() => services.provide('log', silentLogger), {
    code: 'plugin',
    message: 'service log is provided by both first and second; disable one of them',
  });
});

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

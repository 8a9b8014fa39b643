import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceRegistry, silentLogger } from '../src/index.js';

test('a service is provided once, found by name, and missed with advice', () => {
  const services = new ServiceRegistry();
  assert.equal(services.find('log'), undefined);
  assert.throws(() => services.get('log'), {
    code: 'unsupported',
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

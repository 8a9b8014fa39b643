/** Pages of other origins, as browsers ask for them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isAllowedOrigin } from '../src/server/protocol/cors.js';
import { send } from './support/raw.js';
import { createRepository, startServer } from './support/server.js';
import type { TestServer } from './support/server.js';

let open: TestServer;
let closed: TestServer;
const origin = 'https://app.example.com';
const url = '/repo/main/page';

before(async () => {
  open = await startServer({ 'gateways.s3.cors_allowed_origins': `${origin},http://*.local` });
  closed = await startServer();
  for (const server of [open, closed]) {
    await createRepository(server, 'repo');
    await send(server.port, { method: 'PUT', url, body: 'content' });
  }
});
after(async () => {
  await open.stop();
  await closed.stop();
});

/** What a browser asks before a request of the SDK. */
const preflight = (server: TestServer, from = origin, method = 'PUT', rest: object = {}) =>
  send(server.port, {
    method: 'OPTIONS',
    url,
    signed: false,
    headers: {
      origin: from,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,x-amz-content-sha256,x-amz-date,x-amz-meta-a',
      ...rest,
    },
  });

test('pre-flight requests of configured origins are answered, without a signature', async () => {
  for (const from of [origin, 'http://x.y.local']) {
    const answer = await preflight(open, from);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['access-control-allow-origin'], from);
    assert.equal(answer.headers['access-control-allow-methods'], 'GET, HEAD, PUT, POST, DELETE');
    assert.equal(answer.headers['access-control-allow-headers'], 'authorization,x-amz-content-sha256,x-amz-date,x-amz-meta-a');
    assert.equal(answer.headers.vary, 'Origin');
  }
  // The host says enough where no signed headers are announced.
  const byHost = await preflight(open, origin, 'GET', { host: 's3.localhost', 'access-control-request-headers': 'range' });
  assert.deepEqual([byHost.status, byHost.headers['access-control-allow-headers']], [200, 'range']);
});

test('others are refused', async () => {
  for (const [from, method] of [
    ['https://evil.example.com', 'PUT'],
    ['https://app.example.com.evil', 'PUT'],
    [origin, 'PATCH'],
  ]) {
    const answer = await preflight(open, from, method);
    assert.deepEqual([answer.status, answer.code], [403, 'AccessForbidden'], from);
  }
});

test('answers allow the page to read them, errors as well', async () => {
  const ask = (server: TestServer, from: string, signed = true) =>
    send(server.port, { url, headers: { origin: from, host: 's3.localhost' }, signed });
  const good = await ask(open, origin);
  assert.deepEqual(
    [good.status, good.headers['access-control-allow-origin'], good.headers['access-control-expose-headers']],
    [200, origin, '*'],
  );
  assert.equal((await ask(open, origin, false)).headers['access-control-allow-origin'], origin);
  const other = await ask(open, 'https://evil.example.com');
  assert.deepEqual([other.status, other.headers['access-control-allow-origin'], other.headers.vary], [200, undefined, 'Origin']);
  assert.equal((await send(open.port, { url })).headers.vary, undefined);
});

test('without configured origins nothing of it exists', async () => {
  const answer = await preflight(closed, origin, 'PUT', { host: 's3.localhost' });
  assert.deepEqual([answer.status, answer.code], [403, 'AccessDenied']);
  const read = await send(closed.port, { url, headers: { origin } });
  assert.deepEqual([read.status, read.headers['access-control-allow-origin'], read.headers.vary], [200, undefined, undefined]);
});

test('patterns', () => {
  assert.equal(isAllowedOrigin('http://a', ['*']), true);
  assert.equal(isAllowedOrigin('http://A.b', ['http://a.B']), true);
  assert.equal(isAllowedOrigin('http://a.b.c', ['http://*.c']), true);
  assert.equal(isAllowedOrigin('http://.c', ['http://*.c.c']), false);
  assert.equal(isAllowedOrigin('http://a', ['http://a:80', 'https://a', '']), false);
  assert.equal(isAllowedOrigin('http://a', []), false);
});

/** What is counted of HTTP requests, and who may read it. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { server as createServer } from '@hapi/hapi';
import { measureApi } from '../src/server/api.js';
import { addMetricsPage } from '../src/server/page.js';
import { MetricsRegistry } from '../src/server/registry.js';
import { parseMetrics } from '../src/testing/text-format.js';
import type { TestContext } from 'node:test';
import type { Server } from '@hapi/hapi';
import type { MetricsPage } from '../src/testing/text-format.js';

async function startMeasured(t: TestContext, token?: string): Promise<Server> {
  const server = createServer({ port: 0, host: '127.0.0.1', debug: false });
  const registry = new MetricsRegistry();
  measureApi(server, registry);
  addMetricsPage(server, registry, token);
  server.route({
    method: '*',
    path: '/objects/{path*}',
    options: { plugins: { http: { operationId: 'getObject', headOperationId: 'headObject' } } },
    handler: (request, h) => (request.params['path'] === 'missing' ? h.response().code(404) : 'content'),
  });
  await server.start();
  t.after(() => server.stop());
  return server;
}

async function call(server: Server, path: string, options: RequestInit = {}): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(server.info.uri + path, options);
  return { status: answer.status, text: await answer.text() };
}

async function scrape(server: Server, headers: Record<string, string> = {}): Promise<MetricsPage> {
  const answer = await fetch(`${server.info.uri}/metrics`, { headers });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  return parseMetrics(await answer.text());
}

test('requests by code and method, and by operation', async t => {
  const server = await startMeasured(t);
  for (const path of ['a', 'b', 'missing']) await call(server, `/objects/${path}`);
  await call(server, '/objects/a', { method: 'HEAD' });
  await call(server, '/nowhere');
  const page = await scrape(server);
  assert.equal(page.value('api_requests_total', { code: '200', method: 'get' }), 2);
  assert.equal(page.value('api_requests_total', { code: '404', method: 'get' }), 2);
  assert.equal(page.value('api_requests_total', { code: '200', method: 'head' }), 1);
  assert.equal(page.value('api_request_duration_seconds_count', { operation: 'getObject', code: '200' }), 2);
  assert.equal(page.value('api_request_duration_seconds_count', { operation: 'headObject', code: '200' }), 1);
  assert.equal(page.value('api_request_duration_seconds_count', { operation: 'getObject', code: '404' }), 1);
  // Contents only: neither what is missing nor what has none.
  assert.equal(page.value('api_request_ttfb_duration_seconds_count', { operation: 'getObject' }), 2);
  assert.equal(page.value('lakefs_concurrent_requests', { service: 'api', operation: 'getObject' }), 0);
  assert.ok(page.metrics.has('srv_concurrent_requests'));
});

test('reading the page counts nowhere', async t => {
  const server = await startMeasured(t);
  await scrape(server);
  assert.equal((await scrape(server)).value('api_requests_total'), 0);
});

test('no word of a request becomes a label', async t => {
  const server = await startMeasured(t);
  const series = async () =>
    [...(await scrape(server)).metrics.values()].filter(({ name }) => /^api_|^lakefs_/.test(name)).flatMap(m => m.samples);
  await server.inject({ method: 'PURGE', url: '/objects/x' });
  await call(server, '/objects/first');
  const before = (await series()).length;
  // Any word is a method with HTTP/2; the parser of HTTP/1 lets none of these in.
  for (let i = 0; i < 300; i++) {
    await server.inject({ method: `M${i}`, url: `/objects/${i}?q=${i}`, headers: { 'user-agent': `agent ${i}` } });
    await call(server, `/objects/${i}`);
  }
  const after = await series();
  assert.equal(after.length, before);
  assert.equal(after.find(({ labels }) => labels['method'] === 'other')?.value, 301);
});

test('a caller who leaves is 499, and none stays under way', async t => {
  const server = await startMeasured(t);
  const arrivals = new EventEmitter();
  const arrived = once(arrivals, 'arrival');
  server.route({
    method: 'GET',
    path: '/slow',
    options: { plugins: { http: { operationId: 'slow' } } },
    async handler(request) {
      arrivals.emit('arrival');
      await new Promise(resolve => request.raw.req.once('close', resolve));
      return 'late';
    },
  });
  const caller = httpRequest(`${server.info.uri}/slow`).on('error', () => undefined);
  caller.end();
  await arrived;
  assert.equal((await scrape(server)).value('lakefs_concurrent_requests', { operation: 'slow' }), 1);
  caller.destroy();
  let page = await scrape(server);
  while (page.value('api_requests_total', { code: '499' }) === 0) {
    await sleep(5);
    page = await scrape(server);
  }
  assert.equal(page.value('api_request_duration_seconds_count', { operation: 'slow', code: '499' }), 1);
  assert.equal(page.value('lakefs_concurrent_requests'), 0);
});

test('with a token the page is for those who bear it', async t => {
  const server = await startMeasured(t, 's3cret');
  const status = async (headers: Record<string, string>) => (await call(server, '/metrics', { headers })).status;
  for (const authorization of ['Bearer wrong', 'Bearer s3cret2', 'Basic s3cret', 's3cret', 'Bearer '])
    assert.equal(await status({ authorization }), 401, authorization);
  const refused = await call(server, '/metrics');
  assert.equal(refused.status, 401);
  assert.deepEqual(JSON.parse(refused.text), {
    message: 'metrics are protected here: send Authorization: Bearer and the value of metrics.token',
  });
  await scrape(server, { authorization: 'Bearer s3cret' });
  await scrape(server, { authorization: 'bearer s3cret' });
});

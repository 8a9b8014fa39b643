/** What is counted of requests, whether they go through the framework or past it. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestMetrics } from '@srv/metrics/testing';
import { ApiMeter } from '../src/server/meter.js';
import { start } from './support/server.js';
import type { TestContext } from 'node:test';
import type { MetricsPage, TestMetrics } from '@srv/metrics/testing';

interface Measured {
  readonly url: string;
  readonly scrape: TestMetrics['scrape'];
  /** Announces callers of `/slow` and `/direct/slow`, which are answered when they have left. */
  readonly arrivals: EventEmitter;
}

async function startMeasured(t: TestContext): Promise<Measured> {
  const { metrics, scrape } = createTestMetrics();
  const arrivals = new EventEmitter();
  const slow = async (closed: EventEmitter): Promise<void> => {
    arrivals.emit('arrival');
    await once(closed, 'close');
  };
  const { kernel, address } = await start((hooks, services) => {
    hooks.configured.tap('test', () => services.provide('metrics', metrics));
    hooks.routes.tap('test', server => {
      server.route({
        method: '*',
        path: '/objects/{path*}',
        options: { plugins: { http: { operationId: 'getObject', headOperationId: 'headObject' } } },
        handler: (request, h) => (request.params['path'] === 'missing' ? h.response().code(404) : 'content'),
      });
      server.route({ method: 'GET', path: '/quiet', options: { plugins: { http: { audit: false } } }, handler: () => 'hush' });
      server.route({
        method: 'GET',
        path: '/slow',
        options: { plugins: { http: { operationId: 'slow' } } },
        handler: request => slow(request.raw.res).then(() => 'late'),
      });
    });
    hooks.directRoute.tap('test', add => {
      add({
        method: 'GET',
        path: '/direct/objects/{path}',
        operationId: 'getObject',
        handle: async (_, { params }) => ({ status: params['path'] === 'missing' ? 404 : 200, body: 'content' }),
      });
      add({
        method: 'HEAD',
        path: '/direct/objects/{path}',
        operationId: 'headObject',
        handle: async () => ({ status: 200 }),
      });
      add({
        method: 'GET',
        path: '/direct/slow',
        operationId: 'slow',
        handle: ({ response }) => slow(response).then(() => ({ status: 200, body: 'late' })),
      });
    });
  });
  t.after(() => kernel.stop());
  return { url: address.url, scrape, arrivals };
}

/** The answer is complete for its reader a moment before it is counted. */
async function scrapeWhen(scrape: TestMetrics['scrape'], holds: (page: MetricsPage) => boolean): Promise<MetricsPage> {
  for (;;) {
    const page = await scrape();
    if (holds(page)) return page;
    await sleep(5);
  }
}

async function call(url: string, options: RequestInit = {}): Promise<number> {
  const answer = await fetch(url, options);
  await answer.text();
  return answer.status;
}

for (const way of ['', '/direct']) {
  test(`requests by code and method, and by operation: ${way || 'framework'}`, async t => {
    const { url, scrape } = await startMeasured(t);
    for (const path of ['a', 'b', 'missing']) await call(`${url}${way}/objects/${path}`);
    await call(`${url}${way}/objects/a`, { method: 'HEAD' });
    assert.equal(await call(`${url}/nowhere`), 404);
    const page = await scrapeWhen(scrape, p => p.value('api_requests_total') === 5);
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

  test(`counts a client disconnect as 499, and leaves no request in progress: ${way || 'framework'}`, async t => {
    const { url, scrape, arrivals } = await startMeasured(t);
    const arrived = once(arrivals, 'arrival');
    const caller = httpRequest(`${url}${way}/slow`).on('error', () => undefined);
    caller.end();
    await arrived;
    assert.equal((await scrape()).value('lakefs_concurrent_requests', { operation: 'slow' }), 1);
    caller.destroy();
    const page = await scrapeWhen(scrape, p => p.value('api_requests_total', { code: '499' }) === 1);
    assert.equal(page.value('api_request_duration_seconds_count', { operation: 'slow', code: '499' }), 1);
    assert.equal(page.value('lakefs_concurrent_requests'), 0);
  });
}

test('does not count routes without an audit line', async t => {
  const { url, scrape } = await startMeasured(t);
  await call(`${url}/quiet`);
  await call(`${url}/objects/a`);
  const page = await scrapeWhen(scrape, p => p.value('api_requests_total') > 0);
  assert.equal(page.value('api_requests_total'), 1);
});

test('no word of a request becomes a label', async () => {
  const { metrics, scrape } = createTestMetrics();
  const meter = new ApiMeter(metrics);
  // Any word is a method with HTTP/2.
  for (let i = 0; i < 300; i++) meter.end(undefined, `M${i}`, 200, 0);
  const { samples } = (await scrape()).metrics.get('api_requests_total') ?? assert.fail('there is no such metric');
  assert.deepEqual(
    samples.map(({ labels, value }) => [labels['method'], value]),
    [['other', 300]],
  );
});

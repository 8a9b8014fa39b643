/** Who may read the page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { server as createServer } from '@hapi/hapi';
import { addMetricsPage } from '../src/server/page.js';
import { MetricsRegistry } from '../src/server/registry.js';
import { parseMetrics } from '../src/testing/text-format.js';
import type { TestContext } from 'node:test';

async function startPage(t: TestContext, token?: string): Promise<(headers?: Record<string, string>) => Promise<Response>> {
  const server = createServer({ port: 0, host: '127.0.0.1', debug: false });
  const registry = new MetricsRegistry();
  registry.counter({ name: 'runs_total', help: 'Runs' }).labels().add(3);
  addMetricsPage(server, registry, { token, peers: undefined });
  await server.start();
  t.after(() => server.stop());
  return (headers = {}) => fetch(`${server.info.uri}/metrics`, { headers });
}

async function assertPage(answer: Response): Promise<void> {
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  assert.equal(parseMetrics(await answer.text()).value('runs_total'), 3);
}

test('without a token the page is for everybody', async t => {
  const read = await startPage(t);
  await assertPage(await read());
  await assertPage(await read({ authorization: 'Basic abc' }));
});

test('with a token the page is for those who bear it', async t => {
  const read = await startPage(t, 's3cret');
  for (const authorization of ['Bearer wrong', 'Bearer s3cret2', 'Basic s3cret', 's3cret', 'Bearer ']) {
    const { status, body } = await read({ authorization });
    await body?.cancel();
    assert.equal(status, 401, authorization);
  }
  const refused = await read();
  assert.equal(refused.status, 401);
  assert.deepEqual(await refused.json(), {
    message: 'metrics are protected here: send Authorization: Bearer and the value of metrics.token',
  });
  await assertPage(await read({ authorization: 'Bearer s3cret' }));
  await assertPage(await read({ authorization: 'bearer s3cret' }));
});

test('servers that run as one show the sum, whichever is asked', async t => {
  const families = [1, 2, 3].map(count => {
    const registry = new MetricsRegistry();
    registry.counter({ name: 'lakefs_runs_total', help: 'Runs' }).labels().add(count);
    registry
      .gauge({ name: 'running', help: 'Under way', labels: ['kind'] })
      .labels(`kind${count % 2}`)
      .set(count);
    const times = registry.histogram({ name: 'times', help: 'Times', buckets: [1, 2] }).labels();
    for (let i = 0; i < count; i++) times.observe(count);
    return registry;
  });
  const answers: ((question: unknown) => Promise<unknown>)[] = [];
  for (const [at, registry] of families.entries()) {
    const server = createServer({ port: 0, host: '127.0.0.1', debug: false });
    addMetricsPage(server, registry, {
      token: undefined,
      peers: {
        group: 'three workers',
        handle: (_topic, answer) => void answers.push(answer),
        // As between processes, only data arrive.
        request: async () =>
          JSON.parse(JSON.stringify(await Promise.all(answers.filter((_, i) => i !== at).map(answer => answer(undefined))))),
      },
    });
    await server.start();
    t.after(() => server.stop());
    if (answers.length < 3) continue;
    const page = parseMetrics(await (await fetch(`${server.info.uri}/metrics`)).text());
    assert.equal(page.value('lakefs_runs_total'), 6);
    assert.equal(page.value('srv_runs_total'), 6);
    assert.deepEqual([page.value('running', { kind: 'kind1' }), page.value('running', { kind: 'kind0' })], [4, 2]);
    const buckets = ['1', '2', '+Inf'].map(le => page.value('times_bucket', { le }));
    assert.deepEqual([buckets, page.value('times_count'), page.value('times_sum')], [[1, 3, 6], 6, 14]);
    assert.ok((page.value('process_resident_memory_bytes') ?? 0) > 0);
  }
});

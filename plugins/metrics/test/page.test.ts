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
  addMetricsPage(server, registry, token);
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

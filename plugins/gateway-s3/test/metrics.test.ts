/** What a whole server shows on its metrics page. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DeleteObjectCommand, GetObjectCommand, HeadObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { parseMetrics } from '@srv/metrics/testing';
import { eventually } from '@srv/test-servers/eventually';
import { s3Client } from './support/client.js';
import { accessKeyId, createRepository, secretAccessKey, startServer } from './support/server.js';
import type { S3Client } from '@aws-sdk/client-s3';
import type { MetricsPage } from '@srv/metrics/testing';
import type { TestServer } from './support/server.js';

const Bucket = 'repo';
const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString('base64')}`;
let server: TestServer;
let client: S3Client;

before(async () => {
  server = await startServer();
  client = s3Client(server);
  await createRepository(server, Bucket);
});
after(async () => {
  client.destroy();
  await server.stop();
});

async function scrape({ url }: TestServer = server): Promise<MetricsPage> {
  const answer = await fetch(`${url}/metrics`);
  assert.equal(answer.status, 200);
  return parseMetrics(await answer.text());
}

async function api(path: string, options: RequestInit = {}): Promise<number> {
  const headers = { authorization, ...options.headers };
  const answer = await fetch(`${server.url}/api/v1${path}`, { ...options, headers });
  await answer.arrayBuffer();
  return answer.status;
}

/** What `work` adds to the page; a request counts when its connection knows that it is over, a moment after the answer. */
async function added(work: () => Promise<unknown>): Promise<(name: string, labels?: Record<string, string>) => Promise<number>> {
  const earlier = await scrape();
  await work();
  return async (name, labels = {}) => (await scrape()).value(name, labels) - earlier.value(name, labels);
}

test('S3 requests count by operation and code, and reach the stores', async () => {
  const Key = 'main/a';
  const more = await added(async () => {
    await client.send(new PutObjectCommand({ Bucket, Key, Body: 'content' }));
    await (await client.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString();
    await client.send(new HeadObjectCommand({ Bucket, Key }));
    await client.send(new ListObjectsV2Command({ Bucket }));
    await assert.rejects(client.send(new GetObjectCommand({ Bucket, Key: 'main/missing' })));
    await assert.rejects(
      s3Client(server, { credentials: { accessKeyId, secretAccessKey: 'wrong' } }).send(new GetObjectCommand({ Bucket, Key })),
    );
    await client.send(new DeleteObjectCommand({ Bucket, Key }));
  });
  for (const [operation, code] of [
    ['put_object', '200'],
    ['get_object', '200'],
    ['head_object', '200'],
    ['list_objects', '200'],
    ['get_object', '404'],
    ['get_object', '403'],
    ['delete_object', '204'],
  ] as const)
    await eventually(() => more('gateway_request_duration_seconds_count', { operation, code }), 1, `${operation} ${code}`);
  assert.equal(await more('gateway_request_duration_seconds_count'), 7);
  await eventually(() => more('local_operation_duration_seconds_count', { operation: 'get', error: 'false' }), 1, 'get');
  assert.equal(await more('local_operation_size_bytes_sum', { operation: 'get' }), 'content'.length);
  assert.equal(await more('local_operation_size_bytes_sum', { operation: 'put' }), 'content'.length);
  assert.ok((await more('kv_request_duration_seconds_count', { type: 'local', operation: 'Get' })) > 0);
  assert.ok((await more('auth_request_duration_seconds_count', { operation: 'authenticate', success: 'success' })) > 0);
  const page = await scrape();
  for (const name of ['lakefs_concurrent_requests', 'srv_concurrent_requests', 'blockstore_concurrent_operations'])
    assert.equal(page.value(name), 0, name);
});

test('API requests count by operation, also those a schema refuses', async () => {
  const object = `/repositories/${Bucket}/branches/main/objects?path=`;
  const more = await added(async () => {
    assert.equal(await api(`${object}b`, { method: 'POST', body: 'bytes', headers: { 'content-type': 'application/octet-stream' } }), 201);
    assert.equal(await api(`/repositories/${Bucket}/refs/main/objects?path=b`), 200);
    assert.equal(await api(`/repositories/${Bucket}/refs/main/objects?path=missing`), 404);
    assert.equal(await api('/repositories?amount=many'), 400);
    assert.equal(await api('/nowhere'), 404);
    const committed = await api(`/repositories/${Bucket}/branches/main/commits`, {
      method: 'POST',
      body: JSON.stringify({ message: 'm' }),
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(committed, 201);
  });
  for (const [operation, code] of [
    ['uploadObject', '201'],
    ['getObject', '200'],
    ['getObject', '404'],
    ['listRepositories', '400'],
    ['commit', '201'],
  ] as const)
    await eventually(() => more('api_request_duration_seconds_count', { operation, code }), 1, `${operation} ${code}`);
  assert.equal(await more('api_request_duration_seconds_count'), 5);
  assert.equal(await more('api_requests_total', { code: '404', method: 'get' }), 2);
  assert.equal(await more('api_requests_total', { code: '201', method: 'post' }), 2);
  assert.equal(await more('api_request_ttfb_duration_seconds_count', { operation: 'getObject' }), 1);
  assert.ok((await more('api_request_duration_seconds_sum', { operation: 'uploadObject' })) > 0);
  assert.equal((await scrape()).value('lakefs_concurrent_requests'), 0);
});

test('logs 499 for a client disconnect', async () => {
  const body = Buffer.alloc(8 << 20, 'x');
  await client.send(new PutObjectCommand({ Bucket, Key: 'main/large', Body: body }));
  const more = await added(
    () =>
      new Promise<void>(resolve => {
        const caller = httpRequest(`${server.url}/${Bucket}/main/large`, { headers: { authorization, host: 's3.localhost' } }, answer => {
          answer.once('data', () => caller.destroy());
          answer.once('close', resolve);
          answer.on('error', () => undefined);
        });
        caller.on('error', () => undefined);
        caller.end();
      }),
  );
  await eventually(() => more('gateway_request_duration_seconds_count', { operation: 'get_object', code: '499' }), 1, '499');
  // Its reader gave up: that is not an error of the store.
  await eventually(() => more('local_operation_duration_seconds_count', { operation: 'get', error: 'false' }), 1, 'get');
  await eventually(async () => (await scrape()).value('blockstore_concurrent_operations'), 0, 'concurrent');
});

test('names from requests never become labels', async () => {
  /** Names and labels. Without `nodejs_…`: a kind of garbage collection becomes a series when it first happens. */
  const seriesOf = async (): Promise<string[]> =>
    [...(await scrape()).metrics.values()]
      .filter(({ name }) => !name.startsWith('nodejs_'))
      .flatMap(({ samples }) => samples.map(({ name, labels }) => name + JSON.stringify(labels)));
  const visit = async (i: number): Promise<void> => {
    const [name, path] = [`name-${i}`, `marker-${i}`];
    const signed = { authorization, host: 's3.localhost' };
    for (const [method, target] of [
      ['GET', `/${name}/main/${path}?${path}=1`],
      ['GET', `/${Bucket}/${name}/${path}`],
      ['PUT', `/${Bucket}/${name}/${path}?${path}`],
      ['PATCH', `/${Bucket}/main/${path}`],
      ['GET', `/%zz${path}`],
      ['GET', `/api/v1/repositories/${name}/branches/${path}`],
      ['GET', `/api/v1/${path}`],
      ['PROPFIND', `/${path}`],
    ] as const) {
      const headers = target.startsWith('/api') || method === 'PROPFIND' ? { authorization } : { ...signed, 'user-agent': path };
      await new Promise<void>(resolve => {
        const call = httpRequest(server.url + target, { method, headers }, answer => void answer.resume().on('close', resolve));
        call.on('error', () => resolve());
        call.end();
      });
    }
  };
  // Twice: the last request of a visit counts a moment after its answer.
  for (let i = 0; i < 2; i++) await visit(0);
  const known = new Set(await seriesOf());
  for (let i = 1; i <= 40; i++) await visit(i);
  const series = await seriesOf();
  assert.deepEqual(
    series.filter(text => /name-|marker-/.test(text)),
    [],
  );
  assert.deepEqual(
    series.filter(text => !known.has(text)),
    [],
    'series that callers could make grow',
  );
});

test('the page needs the token where one is configured, and never shows it', async () => {
  const other = await startServer({ 'metrics.token': 'token-of-the-test' });
  try {
    assert.equal((await fetch(`${other.url}/metrics`)).status, 401);
    const answer = await fetch(`${other.url}/metrics`, { headers: { authorization: 'Bearer token-of-the-test' } });
    assert.equal(answer.status, 200);
    assert.ok(!(await answer.text()).includes('token-of-the-test'));
  } finally {
    await other.stop();
  }
});

test('the README of metrics names every metric with its type and labels', async () => {
  const here = dirname(fileURLToPath(import.meta.url));
  const readme = readFileSync(join(here, '..', '..', '..', 'metrics', 'README.md'), 'utf8');
  const documented = new Map<string, string>();
  for (const [, names = '', type, labels = ''] of readme.matchAll(/^\| (`.*?) \| (counter|gauge|histogram) \| (.*?) \|/gm)) {
    const facts = `${type} ${[...labels.matchAll(/`(\w+)`/g)].map(match => match[1] ?? '').join(' ')}`;
    for (const [, name = ''] of names.matchAll(/`([^`]+)`/g)) documented.set(name.replace('<type>', 'local'), facts);
  }
  const shown = [...(await scrape()).metrics.values()].filter(({ name }) => !/^(process|nodejs|srv)_/.test(name));
  for (const { name, type, samples } of shown) {
    assert.ok(documented.has(name), `${name} is not in the README`);
    const labels = Object.keys(samples[0]?.labels ?? {}).filter(label => label !== 'le');
    if (samples.length > 0) assert.equal(`${type} ${labels.join(' ')}`, documented.get(name), name);
  }
  const ofOtherDrivers = /^(pgxpool|dynamo)_|^out_in_use_conns$/;
  const missing = [...documented.keys()].filter(name => !ofOtherDrivers.test(name) && !shown.some(metric => metric.name === name));
  assert.deepEqual(missing, []);
});

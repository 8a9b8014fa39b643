/** Something else than an S3 service answers at the endpoint, such as a proxy or the page of a web server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { at } from './bodies.js';
import { openAt } from './opened.js';
import { record, refuse, xml } from './recorded.js';
import type { ServerResponse } from 'node:http';
import type { BlockStore } from '@srv/lib-stores/block';

const object = at('s3://bucket', 'data/x');
const advice = /http:\/\/127\.0\.0\.1:\d+: something else than an S3 service answers at this address; check blockstore\.s3\.endpoint/;

const uploads = (store: BlockStore): AsyncIterable<readonly unknown[]> =>
  store.openUploads?.('s3://bucket/p/') ?? assert.fail('no openUploads');

const html = '<html><head><title>Welcome</title></head><body><h1>It works</h1></body></html>';
const page = (response: ServerResponse, status: number, body: string, headers: Readonly<Record<string, string>> = {}): void =>
  void response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body);

const answers: readonly (readonly [string, (response: ServerResponse) => void])[] = [
  ['an HTML page', response => page(response, 200, html)],
  ['an HTML page that is not XML', response => page(response, 200, '<!DOCTYPE html><html><head><meta charset=utf-8></head></html>')],
  ['nothing', response => page(response, 200, '')],
  ['text', response => page(response, 200, 'OK')],
  ['another document', response => xml(response, '<ListAllMyBucketsResult><Owner><ID>x</ID></Owner></ListAllMyBucketsResult>')],
  ['a redirect', response => page(response, 302, html, { location: 'http://127.0.0.1:9/login' })],
  ['a redirect to https', response => page(response, 301, html, { location: 'https://127.0.0.1:9/' })],
  ['a redirect without a body', response => page(response, 307, '', { location: 'http://127.0.0.1:9/' })],
];

for (const [name, answer] of answers) {
  test(`${name} is neither a listing nor a success`, async t => {
    const recorder = await record(t, (_, response) => answer(response));
    const store = await openAt(recorder.url, { max_retries: 1 });
    await rejectsWith(() => collect(store.walk('s3://bucket/p/')), 'unavailable', advice);
    await rejectsWith(() => collect(uploads(store)), 'unavailable', advice);
    const [failure, ...others] = await store.removeAll([object]);
    assert.equal(others.length, 0);
    await rejectsWith(() => Promise.reject(failure?.error), 'unavailable', advice);
    await rejectsWith(() => store.put(object, Buffer.from('x')), 'unavailable', advice);
    await rejectsWith(() => store.exists(object), 'unavailable', advice);
    await rejectsWith(() => store.copy(object, at('s3://bucket', 'copy')), 'unavailable', advice);
    await rejectsWith(() => store.createMultipart(object), 'unavailable', advice);
    await rejectsWith(() => store.listParts(object, 'u'), 'unavailable', advice);
    await rejectsWith(() => store.abortMultipart(object, 'u'), 'unavailable', advice);
    await store.close();
  });
}

test('a listing is not found only where the store says that the bucket is missing', async t => {
  let answer = (response: ServerResponse): void => page(response, 404, html);
  const recorder = await record(t, (_, response) => answer(response));
  const store = await openAt(recorder.url);
  await rejectsWith(() => collect(store.walk('s3://bucket/p/')), 'unavailable', advice);
  answer = response => refuse(response, 404, 'NoSuchBucket');
  await rejectsWith(() => collect(store.walk('s3://bucket/p/')), 'unavailable', /the bucket does not exist/);
  await store.close();
});

test('a copy that is answered with something else has not been made', async t => {
  const recorder = await record(t, ({ method }, response) => {
    if (method === 'HEAD') response.writeHead(200, { 'content-length': '3', etag: '"e"' }).end();
    else page(response, 200, html);
  });
  const store = await openAt(recorder.url);
  await rejectsWith(() => store.copy(object, at('s3://bucket', 'copy')), 'unavailable', advice);
  await store.close();
});

test('a page without keys is not the last one if it says so', async t => {
  const key = '<Contents><Key>p/b</Key><Size>3</Size><ETag>"e"</ETag></Contents>';
  const pages = [
    '<IsTruncated>true</IsTruncated><NextContinuationToken>further</NextContinuationToken>',
    `<IsTruncated>false</IsTruncated>${key}`,
  ];
  const recorder = await record(t, (_, response) => xml(response, `<ListBucketResult>${pages.shift()}</ListBucketResult>`));
  const store = await openAt(recorder.url);
  assert.deepEqual(
    (await collect(store.walk('s3://bucket/p/', { after: 'a' }))).map(({ relativeKey }) => relativeKey),
    ['b'],
  );
  const parameters = recorder.requests.map(({ url }) => new URLSearchParams(url.split('?')[1]));
  assert.deepEqual(
    parameters.map(query => [query.get('start-after'), query.get('continuation-token')]),
    [
      ['p/a', null],
      [null, 'further'],
    ],
  );
  pages.push('<IsTruncated>true</IsTruncated>', '<IsTruncated>true</IsTruncated>');
  await rejectsWith(() => collect(store.walk('s3://bucket/p/')), 'unavailable', /without NextContinuationToken, though it has more keys/);
  await rejectsWith(() => collect(uploads(store)), 'unavailable', /without NextKeyMarker/);
  await store.close();
});

test('an object that the answer to a removal does not name has not been removed', async t => {
  const recorder = await record(t, (_, response) => xml(response, '<DeleteResult><Deleted><Key>data/0</Key></Deleted></DeleteResult>'));
  const store = await openAt(recorder.url);
  const failures = await store.removeAll([at('s3://bucket', 'data/0'), at('s3://bucket', 'data/1')]);
  assert.deepEqual(
    failures.map(({ pointer, error }) => [pointer.identifier, (error as { code?: string }).code]),
    [['data/1', 'unavailable']],
  );
  await store.close();
});

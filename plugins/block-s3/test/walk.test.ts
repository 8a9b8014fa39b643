/** Listings of stores that write keys in different ways. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect, rejectsWith } from '@srv/kernel/testing';
import { openAt } from './opened.js';
import { record, refuse, xml } from './recorded.js';

const entry = (key: string): string =>
  `<Contents><Key>${key}</Key><LastModified>2026-03-03T10:20:30.000Z</LastModified><ETag>&quot;e&quot;</ETag><Size>3</Size></Contents>`;
const page = (keys: readonly string[], { encoded = true, more = false } = {}): string =>
  `<ListBucketResult>${encoded ? '<EncodingType>url</EncodingType>' : ''}<IsTruncated>${more}</IsTruncated>${keys.map(entry).join('')}</ListBucketResult>`;

test('returns keys unchanged, relative to the folder of the prefix', async t => {
  const recorder = await record(t, (_, response) => xml(response, page(['pre/fix/', 'pre/fix/a+b%2Bc%20d%01%25%C3%A9', 'pre/fixture'])));
  const store = await openAt(recorder.url);
  assert.deepEqual(
    await collect(store.walk('s3://bucket/pre/fix')),
    ['fix/', 'fix/a b+c d\u0001%é', 'fixture'].map(relativeKey => ({
      relativeKey,
      address: `s3://bucket/pre/${relativeKey}`,
      etag: 'e',
      size: 3,
      lastModified: new Date('2026-03-03T10:20:30Z'),
    })),
  );
  const parameters = new URLSearchParams(recorder.requests[0]?.url.split('?')[1]);
  assert.deepEqual([parameters.get('prefix'), parameters.get('start-after'), parameters.get('encoding-type')], ['pre/fix', null, 'url']);
  await store.close();
});

test('a store that does not encode keys is believed', async t => {
  const recorder = await record(t, (_, response) => xml(response, page(['a+b%20c', ' d '], { encoded: false })));
  const store = await openAt(recorder.url);
  assert.deepEqual(
    (await collect(store.walk('s3://bucket'))).map(o => o.relativeKey),
    ['a+b%20c', ' d '],
  );
  await store.close();
});

test('every page begins after the last key, and a key that does not decode is corrupt', async t => {
  const pages = [page(['p/a', 'p/b'], { more: true }), page(['p/c'], { more: true }), page(['p/%ff'])];
  const recorder = await record(t, (_, response, index) => xml(response, pages[index] ?? page([])));
  const store = await openAt(recorder.url);
  await rejectsWith(() => collect(store.walk('s3://bucket/p/', { after: '0' })), 'corrupt', /lists the key p\/%ff/);
  assert.deepEqual(
    recorder.requests.map(({ url }) => new URLSearchParams(url.split('?')[1]).get('start-after')),
    ['p/0', 'p/b', 'p/c'],
  );
  await store.close();
});

test('a page that is refused ends the walk with what is wrong', async t => {
  const recorder = await record(t, (_, response) => refuse(response, 403, 'AccessDenied'));
  const store = await openAt(recorder.url);
  await rejectsWith(() => collect(store.walk('s3://bucket/p/')), 'forbidden', /^s3:\/\/bucket\/p\/: the store denies access/);
  await rejectsWith(() => collect(store.walk('gs://bucket/')), 'invalid');
  await store.close();
  await rejectsWith(() => collect(store.walk('s3://bucket/')), 'closed');
});

import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { rejectsWith } from '@srv/kernel/testing';
import { identifierType } from '../../src/block/contract.js';
import {
  attachment,
  bareEtag,
  bucketKey,
  bucketPrefix,
  cancellable,
  checkPartNumber,
  checkSize,
  checkedBody,
  checkedStream,
  matchPart,
  multipartEtag,
  orderParts,
  pageOfParts,
  rangeHeader,
} from '../../src/block/index.js';

const relative = (namespace: string, identifier: string) => ({ namespace, identifier, identifierType: identifierType.relative });

test('the etag of a joined object', () => {
  const parts = Array.from({ length: 30 }, (_, i) => Buffer.from(Array.from({ length: 16 }, (_, j) => 32 + i + j)).toString('hex'));
  assert.equal(multipartEtag(parts), '9cae1a3b7e97542c261cf2e1b50ba482-30');
});

test('etags lose quotes, spaces and the mark of weakness', () => {
  for (const given of ['abc', '"abc"', ' "abc" ', 'W/"abc"']) assert.equal(bareEtag(given), 'abc');
});

test('the disposition names the last segment, plainly, quoted or encoded', () => {
  assert.equal(attachment('a.txt'), 'attachment; filename=a.txt');
  assert.equal(attachment('dir/a b".txt'), 'attachment; filename="a b\\".txt"');
  assert.equal(attachment('é.txt'), "attachment; filename*=utf-8''%C3%A9.txt");
  assert.equal(attachment("é'(1)*.txt"), "attachment; filename*=utf-8''%C3%A9%27%281%29%2A.txt");
});

test('buckets and keys are split literally', () => {
  assert.deepEqual(bucketKey(relative('s3://b', 'a//b/../c%20d'), 's3'), { bucket: 'b', key: 'a//b/../c%20d' });
  assert.deepEqual(bucketKey(relative('s3://b/p/q/', '/k'), 's3'), { bucket: 'b', key: 'p/q//k' });
  assert.deepEqual(bucketKey({ ...relative('s3://b', 's3://other/a?b#c'), identifierType: identifierType.full }, 's3'), {
    bucket: 'other',
    key: 'a?b#c',
  });
  assert.throws(() => bucketKey(relative('gs://b', 'k'), 's3'), /gs:\/\/b: invalid address/);
  assert.throws(() => bucketKey(relative('s3://', 'k'), 's3'), /missing bucket/);
  assert.throws(() => bucketKey(relative('s3://b', ''), 's3'), /missing object key/);
  assert.deepEqual(bucketPrefix('s3://b', 's3'), { bucket: 'b', key: '' });
  assert.deepEqual(bucketPrefix('s3://b/p/', 's3'), { bucket: 'b', key: 'p/' });
  assert.throws(() => bucketPrefix('s3:///p', 's3'), /missing bucket/);
  assert.throws(() => bucketPrefix('/p', 's3'), /invalid address/);
});

test('part numbers and lists of parts are checked', () => {
  for (const number of [0, 10_001, 1.5, Number.NaN]) assert.throws(() => checkPartNumber(number), /from 1 to 10000/);
  const part = (partNumber: number) => ({ partNumber, etag: `e${partNumber}` });
  assert.deepEqual(orderParts('x', [part(3), part(1)]), [part(1), part(3)]);
  assert.throws(() => orderParts('x', []), /empty/);
  assert.throws(() => orderParts('x', [part(1), part(1)]), /listed twice/);
  assert.throws(() => orderParts('x', [part(0)]), /part number 0/);
  assert.throws(() => matchPart('x', part(1), undefined), /never uploaded/);
  assert.throws(() => matchPart('x', part(1), { etag: 'other' }), /has etag other, not e1/);
  assert.equal(matchPart('x', part(1), part(1)).partNumber, 1);
});

test('parts come in pages', () => {
  const all = [4, 2, 3, 1].map(partNumber => ({ partNumber }));
  assert.deepEqual(pageOfParts(all, { maxParts: 2 }), {
    parts: [{ partNumber: 1 }, { partNumber: 2 }],
    isTruncated: true,
    nextPartNumberMarker: 2,
  });
  assert.deepEqual(pageOfParts(all, { partNumberMarker: 2 }), { parts: [{ partNumber: 3 }, { partNumber: 4 }], isTruncated: false });
});

test('a range begins inside the object and ends after its beginning', () => {
  assert.equal(rangeHeader({ start: 0, end: 9 }), 'bytes=0-9');
  assert.throws(() => rangeHeader({ start: -1, end: 9 }), /are not a range/);
  assert.throws(() => rangeHeader({ start: 5, end: 4 }), /are not a range/);
});

test('a body must be as long as announced', async () => {
  const text = (...chunks: string[]) => Readable.from(chunks);
  assert.equal((await buffer(checkedStream(text('é', 'b'), { size: 3 }))).toString(), 'éb');
  assert.equal((await buffer(checkedStream(Buffer.from('ab')))).toString(), 'ab');
  const all = async (body: Readable | Buffer, size: number) => {
    for await (const _ of checkedBody(body, { size }));
  };
  await rejectsWith(() => all(text('abc'), 2), 'invalid', /the body has more bytes, 2 were announced/);
  await rejectsWith(() => all(text('abc'), 4), 'invalid', /the body has 3 bytes, 4 were announced/);
  assert.throws(() => checkSize(Buffer.from('abc'), 2), /more bytes, 2/);
  checkSize(Buffer.from('abc'), 3);
});

test('a body can be cancelled while it stalls, and is let go', async () => {
  const stalled = new PassThrough();
  const controller = new AbortController();
  stalled.write('begun');
  setTimeout(() => controller.abort(), 5);
  await rejectsWith(async () => {
    for await (const _ of checkedBody(stalled, { signal: controller.signal }));
  }, 'cancelled');
  assert.ok(stalled.destroyed);
});

test('a read can be cancelled before and on its way', async () => {
  const controller = new AbortController();
  const stream = cancellable(new PassThrough(), controller.signal);
  controller.abort();
  await rejectsWith(() => buffer(stream), 'cancelled');
  await rejectsWith(() => buffer(cancellable(new PassThrough(), AbortSignal.abort())), 'cancelled');
});

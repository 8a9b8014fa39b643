import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSrvError } from '@srv/kernel';
import fc from 'fast-check';
import { batchLimits, decodeBatch, encodeBatch } from '../../src/operations/objects/batch.js';
import type { BatchedObject } from '../../src/operations/objects/batch.js';

const object = (path: string, content = 'x'): BatchedObject => ({ path, bytes: Buffer.from(content) });
const invalid = (body: Buffer, message: RegExp): void =>
  assert.throws(
    () => decodeBatch(body),
    (error: unknown) => isSrvError(error, 'invalid') && message.test(error.message),
  );
/** A description that no encoder writes. */
const described = (description: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(description.length);
  return Buffer.concat([length, Buffer.from(description)]);
};

test('a batch is read as it was written', () => {
  const objects = fc.uniqueArray(
    fc.record(
      {
        path: fc.string({ unit: 'grapheme' }),
        bytes: fc.uint8Array({ maxLength: 300 }).map(bytes => Buffer.from(bytes)),
        contentType: fc.string(),
        metadata: fc.dictionary(fc.string(), fc.string()),
      },
      { requiredKeys: ['path', 'bytes'] },
    ),
    { selector: ({ path }) => path, maxLength: 20 },
  );
  fc.assert(
    fc.property(objects, given => {
      assert.deepEqual(
        decodeBatch(encodeBatch(given)).map(found => ({ ...found, metadata: { ...found.metadata } })),
        given.map(found => ({ ...found, metadata: { ...found.metadata } })),
      );
    }),
  );
  assert.deepEqual(decodeBatch(Buffer.alloc(0)), []);
});

test('rejects malformed batches, wherever they end or change', () => {
  const body = encodeBatch([object('a', 'content'), { ...object('b'), contentType: 'text/plain', metadata: { k: 'v' } }]);
  const first = encodeBatch([object('a', 'content')]).length;
  for (let end = 1; end < body.length; end++) {
    if (end === first) continue;
    invalid(
      body.subarray(0, end),
      end < first ? /^object 1 of the batch: .* (early|longer than)/ : /^object 2 of the batch: .* (early|longer than)/,
    );
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
      try {
        decodeBatch(Buffer.from(bytes));
      } catch (error) {
        assert.ok(isSrvError(error, 'invalid'));
      }
    }),
  );
});

test('a batch says what is wrong with which object', () => {
  invalid(encodeBatch([object('a'), object('a')]), /^object 2 of the batch: "a" occurs twice$/);
  invalid(described('{'), /^object 1 of the batch: its description is not JSON: /);
  invalid(described('null'), /is not a JSON object$/);
  const latin1 = described('{"path":"y?","size":0}');
  latin1[latin1.indexOf('?')] = 0xe9;
  invalid(latin1, /its description is not UTF-8$/);
  invalid(described('{"size":0}'), /"path" must be a text$/);
  for (const size of ['-1', '0.5', '"1"', '1e400']) invalid(described(`{"path":"a","size":${size}}`), /"size" must be a number of bytes$/);
  invalid(described('{"path":"a","size":0,"content_type":1}'), /"content_type" must be a text$/);
  for (const metadata of ['[]', '{"a":1}', 'null', '"x"'])
    invalid(described(`{"path":"a","size":0,"metadata":${metadata}}`), /"metadata" must be an object of texts$/);
  invalid(encodeBatch([object('large', 'x'.repeat(batchLimits.objectBytes + 1))]), /larger than 65536 bytes; upload it alone$/);
  const many = Array.from({ length: batchLimits.objects + 1 }, (_, i) => object(String(i)));
  assert.equal(decodeBatch(encodeBatch(many.slice(1))).length, batchLimits.objects);
  invalid(encodeBatch(many), /^object 501 of the batch: a batch has at most 500 objects$/);
});

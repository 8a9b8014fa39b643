import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { boundaryOf, findPart } from '../src/objects/multipart.js';
import { metadataFrom } from '../src/objects/upload.js';

describe('forms', () => {
  it('names its boundary', () => {
    assert.equal(boundaryOf('multipart/form-data; boundary=abc'), 'abc');
    assert.equal(boundaryOf('Multipart/Form-Data; charset=x; boundary="a b"'), 'a b');
    assert.equal(boundaryOf('multipart/form-data'), undefined);
    assert.equal(boundaryOf('text/plain; boundary=abc'), undefined);
  });

  it('yields the wanted part, however the bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.uint8Array({ maxLength: 60 }),
        fc.integer({ min: 1, max: 50 }),
        async (content, other, step) => {
          const boundary = '--xyz';
          const form = Buffer.concat([
            Buffer.from(`preamble\r\n--${boundary}\r\nContent-Disposition: form-data; name="other"\r\n\r\n`),
            Buffer.from(other),
            Buffer.from(
              `\r\n--${boundary}\r\nContent-Disposition: form-data; name="content"; filename="f"\r\nContent-Type: text/x\r\n\r\n`,
            ),
            Buffer.from(content),
            Buffer.from(`\r\n--${boundary}--\r\nepilogue`),
          ]);
          const pieces = Array.from({ length: Math.ceil(form.length / step) }, (_, i) => form.subarray(i * step, (i + 1) * step));
          const part = await findPart(Readable.from(pieces, { objectMode: false }), boundary, 'content');
          assert.equal(part.contentType, 'text/x');
          assert.deepEqual(Buffer.concat(await part.body.toArray()), Buffer.from(content));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('refuses what is no form or lacks the part', async () => {
    const read = async (text: string) => {
      const part = await findPart(Readable.from([Buffer.from(text)], { objectMode: false }), 'b', 'content');
      await part.body.toArray();
    };
    await assert.rejects(read('--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n--b--'), /missing key 'content'/);
    await assert.rejects(read('nothing'), { code: 'invalid' });
    await assert.rejects(read('--b\r\nContent-Disposition: form-data; name="content"\r\n\r\ncut'), { code: 'invalid' });
  });

  it('takes metadata from headers', () => {
    assert.deepEqual(metadataFrom({ 'x-lakefs-meta-color': 'blue', 'x-lakefs-internal-k': 'v', 'x-lakefs-meta-': 'x', other: 'y' }), {
      color: 'blue',
      '::lakefs::k': 'v',
    });
  });
});

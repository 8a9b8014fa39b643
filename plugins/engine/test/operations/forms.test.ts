import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { boundaryOf, findPart } from '../../src/operations/objects/multipart.js';
import { metadataFrom } from '../../src/operations/objects/upload.js';

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
        fc.constantFrom('\r\n', '\n'),
        fc.constantFrom('', 'preamble{end}'),
        async (content, other, step, end, preamble) => {
          const boundary = '--xyz';
          const lines = (text: string): Buffer => Buffer.from(text.replaceAll('{end}', end));
          const form = Buffer.concat([
            lines(`${preamble}--${boundary}{end}Content-Disposition: form-data; name="other"{end}{end}`),
            Buffer.from(other),
            lines(`{end}--${boundary}{end}Content-Disposition: form-data; name="content"; filename="f"{end}Content-Type: text/x{end}{end}`),
            Buffer.from(content),
            lines(`{end}--${boundary}--{end}epilogue`),
          ]);
          const pieces = Array.from({ length: Math.ceil(form.length / step) }, (_, i) => form.subarray(i * step, (i + 1) * step));
          const part = await findPart(Readable.from(pieces, { objectMode: false }), boundary, 'content');
          assert.equal(part.contentType, 'text/x');
          assert.deepEqual(Buffer.concat(await part.body.toArray()), Buffer.from(content));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('with CRLF keeps line feeds that belong to the content', async () => {
    const text = '--b\r\nContent-Disposition: form-data; name="content"\r\n\r\none\n--b\ntwo\r\n--b--';
    const part = await findPart(Readable.from([Buffer.from(text)], { objectMode: false }), 'b', 'content');
    assert.equal(Buffer.concat(await part.body.toArray()).toString(), 'one\n--b\ntwo');
    const bare = text.replaceAll('\r', '').replace('two', 'two\r').replace('one\n--b\n', 'one\n--\n');
    const other = await findPart(Readable.from([Buffer.from(bare)], { objectMode: false }), 'b', 'content');
    assert.equal(Buffer.concat(await other.body.toArray()).toString(), 'one\n--\ntwo\r');
  });

  it('rejects bodies that are not forms or lack the part', async () => {
    const read = async (text: string) => {
      const part = await findPart(Readable.from([Buffer.from(text)], { objectMode: false }), 'b', 'content');
      await part.body.toArray();
    };
    await assert.rejects(read('--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n--b--'), /missing key 'content'/);
    await assert.rejects(read('nothing'), { code: 'invalid' });
    await assert.rejects(read('--b\r\nContent-Disposition: form-data; name="content"\r\n\r\ncut'), { code: 'invalid' });
  });

  it('takes metadata from headers', () => {
    const lines = ['X-Lakefs-Meta-Color', 'blue', 'x-lakefs-internal-k', 'v', 'x-lakefs-meta-', 'x', 'other', 'y'];
    assert.deepEqual(metadataFrom(lines), { color: 'blue', '::lakefs::k': 'v' });
    const own = ['x-srv-meta-color', 'blue', 'x-srv-internal-k', 'v', 'x-srv-meta-color', 'red'];
    assert.deepEqual(metadataFrom(own), { color: 'blue', '::lakefs::k': 'v' });
  });
});

/** The parts of forms, however the body is cut into pieces. */
import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import fc from 'fast-check';
import { formBoundary } from '../src/server/form/parts.js';
import { readForm } from '../src/server/form/read-form.js';

const boundary = 'b-x';
/** Texts in which a delimiter often nearly begins. */
const awkward = fc
  .array(fc.constantFrom('\r\n', '\r', '\n', '--', '-', 'b', 'b-', 'x', '\r\n--b-', 'ü', '\0', ''), { maxLength: 30 })
  .map(pieces => pieces.join(''));
const content = awkward.filter(text => !text.includes(`\r\n--${boundary}`) && !text.startsWith(`--${boundary}`));
const field = fc.record(
  { name: fc.stringMatching(/^[a-z-]{1,12}$/).filter(name => name !== 'file' && name !== 'key'), value: content },
  { noNullPrototype: true },
);

const part = (name: string, value: string, filename?: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}\r\n\r\n${value}\r\n`;

/** A body in pieces of these lengths, over and over. */
function inPieces(body: Buffer, lengths: readonly number[]): Readable {
  const pieces: Buffer[] = [];
  for (let at = 0, i = 0; at < body.length; i++) {
    const length = lengths[i % lengths.length] ?? 1;
    pieces.push(body.subarray(at, at + length));
    at += length;
  }
  return Readable.from(pieces, { objectMode: false });
}

test('come out as they went in', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(field, { maxLength: 5, selector: ({ name }) => name }),
      content,
      content,
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
      fc.constantFrom('--\r\n', '--', '--\r\nepilogue', '\r\nContent-Disposition: form-data; name="submit"\r\n\r\nok\r\n--b-x--\r\n'),
      async (fields, file, preamble, lengths, end) => {
        const before = preamble === '' ? '' : `${preamble}\r\n`;
        const body = Buffer.from(
          `${before}${fields.map(({ name, value }) => part(name, value)).join('')}${part('file', file, 'n')}--${boundary}${end}`,
        );
        const form = await readForm(inPieces(body, lengths), boundary, 0);
        assert.deepEqual(
          form.fields.names().map(name => ({ name, value: form.fields.text(name) })),
          fields,
        );
        assert.equal((await buffer(form.file)).toString(), file);
      },
    ),
  );
});

test('are read once, whatever they look like', async () => {
  // Each piece ends in what may be a delimiter: the work must not grow with what came before.
  const file = '\r\n--b-'.repeat(200_000);
  const body = Buffer.from(`${part('key', 'x')}${part('file', file, 'n')}--${boundary}--\r\n`);
  const form = await readForm(inPieces(body, [1000, 7, 1]), boundary, 0);
  let [length, longest] = [0, 0];
  for await (const piece of form.file as AsyncIterable<Buffer>) {
    length += piece.length;
    longest = Math.max(longest, piece.length);
  }
  assert.deepEqual([length, longest < 2000], [file.length, true]);
});

test('are copied a bounded number of times, however many there are', async t => {
  const fields = Array.from({ length: 99 }, (_, i) => part(`x-ignore-${i}`, 'x'));
  const body = Buffer.from(`${fields.join('')}${part('file', 'x'.repeat(50_000), 'n')}--${boundary}--\r\n`);
  let copied = 0;
  const concat = Buffer.concat.bind(Buffer);
  t.mock.method(Buffer, 'concat', (pieces: readonly Buffer[]) => {
    const made = concat(pieces);
    copied += made.length;
    return made;
  });
  const form = await readForm(inPieces(body, [body.length]), boundary, 0);
  assert.equal(form.fields.names().length, 99);
  assert.equal((await buffer(form.file)).length, 50_000);
  assert.ok(copied < 4 * body.length, `${copied} bytes of ${body.length}`);
});

test('are refused when they are more than any policy needs', async () => {
  const fields = Array.from({ length: 101 }, (_, i) => part(`x-ignore-${i}`, 'x'));
  const body = Buffer.from(`${fields.join('')}${part('file', 'x', 'n')}--${boundary}--\r\n`);
  await assert.rejects(readForm(inPieces(body, [1000]), boundary, 0), { code: 'MaxPostPreDataLengthExceeded' });
});

test('have a time in all until the file begins, which is then read for as long as it takes', async () => {
  const dripping = new PassThrough();
  const drip = setInterval(() => dripping.write('-'), 5);
  await assert.rejects(readForm(dripping, boundary, 0, 60), { code: 'RequestTimeout' });
  clearInterval(drip);
  assert.equal(dripping.destroyed, false);

  const slow = new PassThrough();
  slow.write(`${part('key', 'x')}${part('file', 'begins', 'n').slice(0, -2)}`);
  const form = await readForm(slow, boundary, 0, 60);
  const file = buffer(form.file);
  setTimeout(() => slow.end(` and ends\r\n--${boundary}--\r\n`), 120);
  assert.equal((await file).toString(), 'begins and ends');
});

test('need a boundary, quoted or not', () => {
  assert.equal(formBoundary('multipart/form-data; boundary=a-b'), 'a-b');
  assert.equal(formBoundary('Multipart/Form-Data; charset=utf-8; Boundary="a;b\\"c"'), 'a;b"c');
  assert.equal(formBoundary('text/plain; boundary=x'), undefined);
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=', `multipart/form-data; boundary=${'x'.repeat(300)}`])
    assert.throws(() => formBoundary(type), { code: 'MalformedPOSTRequest' });
});

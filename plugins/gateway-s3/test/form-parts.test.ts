/** The parts of forms, however the body is cut into pieces. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
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

test('need a boundary, quoted or not', () => {
  assert.equal(formBoundary('multipart/form-data; boundary=a-b'), 'a-b');
  assert.equal(formBoundary('Multipart/Form-Data; charset=utf-8; Boundary="a;b\\"c"'), 'a;b"c');
  assert.equal(formBoundary('text/plain; boundary=x'), undefined);
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=', `multipart/form-data; boundary=${'x'.repeat(300)}`])
    assert.throws(() => formBoundary(type), { code: 'MalformedPOSTRequest' });
});

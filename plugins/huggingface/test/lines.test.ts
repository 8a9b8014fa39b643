/** The body of a commit, cut anywhere. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLines } from '../src/server/commit/lines.js';
import type { StoredContent } from '../src/server/commit/content.js';

function collector() {
  const contents: Buffer[] = [];
  const open = () => {
    const pieces: Buffer[] = [];
    return {
      write: async (piece: Buffer) => void pieces.push(piece),
      async end(): Promise<StoredContent> {
        contents.push(Buffer.concat(pieces));
        return { address: String(contents.length - 1), size: 0, etag: '', sha256: '', lastModified: new Date(0) };
      },
      abandon: async () => undefined,
    };
  };
  return { contents, open };
}

async function* cut(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test('contents are decoded wherever the body is cut', async () => {
  const values = ['', 'a', 'ab', 'abc', 'ÿ'.repeat(50)].map(text => Buffer.from(text, 'latin1'));
  const lines = [
    '{"key":"header","value":{"summary":"\\"content\\":\\"x","description":"content"}}',
    ...values.map((value, i) => `{"key":"file","value":{"content" : "${value.toString('base64').replaceAll('/', '\\/')}","path":"ä${i}"}}`),
    '',
    '{"key":"deletedFile","value":{"path":"content"}}',
  ];
  for (const size of [1, 2, 3, 5, 7, 64, 10_000]) {
    const { contents, open } = collector();
    const found: unknown[] = [];
    for await (const { value, content } of readLines(cut(lines.join('\n'), size), open)) found.push([value['key'], content?.address]);
    assert.deepEqual(
      found,
      [['header', undefined], ...values.map((_, i) => ['file', String(i)]), ['deletedFile', undefined]],
      String(size),
    );
    assert.ok(
      contents.every((content, i) => values[i]?.equals(content)),
      String(size),
    );
  }
});

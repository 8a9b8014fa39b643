/** What JSON and encodings hold is shown as it is written. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJsonTree, repeatedNames } from '@srv/lib-records/tables/json-tree';
import { decodeText } from '@srv/lib-records/tables/text-encoding';
import fc from 'fast-check';
import type { JsonNode } from '@srv/lib-records/tables/json-tree';

describe('a JSON tree', () => {
  it('keeps digits, signs of zero, order and repeated names', () => {
    const sources = ['12345678901234567890', '1e400', '1.0', '-0', '0.10', '"\\u00e9\\n"', 'null', 'true'];
    for (const source of sources) assert.equal(written(parseJsonTree(` ${source}\n`)), source);
    const text = '{"b":1,"a":2,"b":3,"10":4,"__proto__":5}';
    const tree = parseJsonTree(text);
    assert.equal(written(tree), text);
    assert.deepEqual(tree.kind === 'object' && [...repeatedNames(tree.members)], ['b']);
  });

  it('accepts what JSON.parse accepts, and means the same', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom('', ' ', '\n\t'), (text, space) => {
        const tree = parseJsonTree(space + text + space);
        assert.deepEqual(JSON.parse(written(tree)), JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });

  it('refuses what JSON.parse refuses, and says where', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      '"',
      '1',
      '-',
      '01',
      '1.',
      'e5',
      'true',
      'nul',
      ' ',
      '\\',
      '\u0001',
    );
    const accepts = (read: () => unknown): boolean => {
      try {
        read();
        return true;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), parts => {
        const text = parts.join('');
        assert.equal(
          accepts(() => parseJsonTree(text)),
          accepts(() => JSON.parse(text)),
          text,
        );
      }),
      { numRuns: 5000 },
    );
    assert.throws(() => parseJsonTree('{"a": 1,\n "b": }'), /line 2, column 7: expected a value, found "}"/);
    assert.throws(() => parseJsonTree('[1'), /expected "," or "\]", found the end/);
  });

  it('bears nesting and texts of any length', () => {
    const depth = 200_000;
    let node = parseJsonTree('['.repeat(depth) + ']'.repeat(depth));
    for (let i = 1; i < depth; i++) node = (node.kind === 'array' && node.members[0]?.value) || node;
    assert.deepEqual(node, { kind: 'array', members: [] });
    const long = JSON.stringify('ä"\\'.repeat(1_000_000));
    assert.equal(written(parseJsonTree(long)), long);
  });
});

describe('the encoding of a text', () => {
  it('is that of its byte order mark, UTF-8, or Windows-1252', () => {
    const text = 'größe,€\n';
    const utf16 = (isBig: boolean): Uint8Array => {
      const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
      return isBig ? bytes.swap16() : bytes;
    };
    assert.deepEqual(decodeText(Buffer.from(text)), { text, encoding: 'utf-8', wrong: 0 });
    assert.deepEqual(decodeText(Buffer.from(`\ufeff${text}`)).text.replace('\ufeff', ''), text);
    assert.deepEqual(decodeText(utf16(false)), { text, encoding: 'utf-16le', wrong: 0 });
    assert.deepEqual(decodeText(utf16(true)), { text, encoding: 'utf-16be', wrong: 0 });
    // Node 20 has no characters of its own for 0x80 to 0x9f; browsers do.
    const latin = Uint8Array.from([0x67, 0x72, 0xf6, 0xdf, 0x65, 0x2c, 0x0a]);
    assert.deepEqual(decodeText(latin), { text: 'größe,\n', encoding: 'windows-1252', wrong: 0 });
    const damaged = Buffer.concat([Buffer.from('größe, Übermaß'), Buffer.from([0xff]), Buffer.from('€')]);
    assert.deepEqual(decodeText(damaged), { text: 'größe, Übermaß\ufffd€', encoding: 'utf-8', wrong: 1 });
    assert.deepEqual(decodeText(Buffer.from('ä').subarray(0, 1), true), { text: '', encoding: 'utf-8', wrong: 0 });
  });
});

/** The tree as compact JSON. */
function written(node: JsonNode): string {
  if (!('members' in node)) return node.source;
  if (node.kind === 'array') return `[${node.members.map(({ value }) => written(value)).join(',')}]`;
  return `{${node.members.map(({ name, value }) => `${JSON.stringify(name)}:${written(value)}`).join(',')}}`;
}

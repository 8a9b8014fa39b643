/** What text formats hold is shown as it is written. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseDelimited } from '../src/model/delimited.js';
import { parseJsonTree, repeatedNames } from '../src/model/json-tree.js';
import { diffTables } from '../src/model/table-diff.js';
import { decodeText } from '../src/model/text-encoding.js';
import type { JsonNode } from '../src/model/json-tree.js';

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

describe('delimited text', () => {
  it('keeps fields beyond the header, and distinguishes them in differences', () => {
    const before = parseDelimited('id,name\n1,a,extra\n2,b\n', 10);
    assert.deepEqual(before.columns, ['id', 'name', '(column 3)']);
    assert.deepEqual(before.rows, [
      ['1', 'a', 'extra'],
      ['2', 'b'],
    ]);
    const { same, changes } = diffTables(before, parseDelimited('id,name\n1,a,other\n2,b\n', 10));
    assert.deepEqual([same, changes.map(({ kind }) => kind)], [1, ['changed']]);
  });

  it('finds the delimiter outside of quotes, by the records that agree', () => {
    const cases: [string, string[]][] = [
      ['"a;b;c;d",x\n"e",y\n', ['a;b;c;d', 'x']],
      ['"say ""a,b,c""";n\n1;2\n', ['say "a,b,c"', 'n']],
      ['a\tb, c, d\n1\t2\n', ['a', 'b, c, d']],
      ['one column, with text\nanother line\nand more\n', ['one column', ' with text']],
      ['"x\ny,z";q\n1;2\n', ['x\ny,z', 'q']],
    ];
    for (const [text, columns] of cases) assert.deepEqual(parseDelimited(text, 10).columns.slice(0, columns.length), columns, text);
  });

  it('compares columns of the same name by their order', () => {
    const { columns, changes } = diffTables(
      { columns: ['id', 'x', 'x'], rows: [['1', 'a', 'b']] },
      { columns: ['id', 'x', 'x'], rows: [['1', 'a', 'c']] },
    );
    assert.deepEqual(
      columns.map(({ name }) => name),
      ['id', 'x', 'x (2)'],
    );
    assert.deepEqual(changes, [{ kind: 'changed', before: ['1', 'a', 'b'], after: ['1', 'a', 'c'] }]);
  });

  it('distinguishes a missing value from an empty text', () => {
    const table = (value: string | null) => ({ columns: ['id', 'x'], rows: [['1', value]] });
    assert.equal(diffTables(table(null), table('')).same, 0);
    assert.equal(diffTables(table(null), table(null)).same, 1);
  });
});

describe('the encoding of a text', () => {
  it('is that of its byte order mark, UTF-8, or Windows-1252', () => {
    const text = 'größe,€\n';
    const utf16 = (isBig: boolean): Uint8Array => {
      const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
      return isBig ? bytes.swap16() : bytes;
    };
    assert.deepEqual(decodeText(Buffer.from(text)), { text, encoding: 'utf-8' });
    assert.deepEqual(decodeText(Buffer.from(`\ufeff${text}`)).text.replace('\ufeff', ''), text);
    assert.deepEqual(decodeText(utf16(false)), { text, encoding: 'utf-16le' });
    assert.deepEqual(decodeText(utf16(true)), { text, encoding: 'utf-16be' });
    // Node 20 has no characters of its own for 0x80 to 0x9f; browsers do.
    const latin = Uint8Array.from([0x67, 0x72, 0xf6, 0xdf, 0x65, 0x2c, 0x0a]);
    assert.deepEqual(decodeText(latin), { text: 'größe,\n', encoding: 'windows-1252' });
    assert.deepEqual(decodeText(Buffer.from('ä').subarray(0, 1), true), { text: '', encoding: 'utf-8' });
  });
});

/** The tree as compact JSON. */
function written(node: JsonNode): string {
  if (!('members' in node)) return node.source;
  if (node.kind === 'array') return `[${node.members.map(({ value }) => written(value)).join(',')}]`;
  return `{${node.members.map(({ name, value }) => `${JSON.stringify(name)}:${written(value)}`).join(',')}}`;
}

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeWording } from '../wording/check.js';
import { proseOf } from '../wording/prose.js';

/** Phrases that are found, with their lines. */
const found = (file: string, text: string): string[] =>
  judgeWording(file, text).map(line => /^[^:]+:(\d+: "[^"]+")/.exec(line)?.[1] ?? line);

describe('the word list', () => {
  it('finds phrases in comments, texts, test names and templates, and says what to write', () => {
    const text = [
      '/** Nobody reads it. */',
      "export const a = 'the server tells why';",
      'it(`goes on after ${name}, and is told`, () => {});',
      '// Two files, one behind',
      '// the other.',
    ].join('\n');
    assert.deepEqual(found('a.ts', text).sort(), ['1: "Nobody"', '2: "tells"', '3: "goes on"', '3: "told"', '4: "behind"']);
    assert.match(judgeWording('a.ts', text)[0] ?? '', /^a\.ts:1: "Nobody" is not plain English here; write name who/);
  });

  it('finds a phrase across the lines of a comment', () => {
    assert.deepEqual(found('a.ts', '/**\n * It goes\n * on.\n */'), ['2: "goes on"']);
    assert.deepEqual(found('a.ts', '// It goes\n// on.'), ['1: "goes on"']);
  });

  it('leaves names, code in comments and texts of one word alone', () => {
    assert.deepEqual(found('a.ts', "const nobody = users.get('nobody'); // as `nobody`, see {@link told}\nconst told = nobody.tells;"), []);
  });

  it('allows the same words where they are English', () => {
    for (const text of ['It is no longer open.', 'A server behind a proxy.', 'There is no file.', 'Left behind.', 'Look up a name.'])
      assert.deepEqual(found('a.md', text), []);
    assert.deepEqual(found('a.md', 'It is no file, and comes behind.'), ['1: "behind"', '1: "is no"']);
  });

  it('finds test names that do not name their subject', () => {
    const text = "describe('what is kept', () => {\n  it('keeps what is new', () => {});\n  test(`who asks`, () => {});\n});";
    assert.deepEqual(found('a.test.ts', text), ['1: "what"', '3: "who"']);
    assert.deepEqual(found('a.ts', text), []);
  });

  it('reads the text of elements', () => {
    assert.deepEqual(found('a.tsx', "const a = <p>\n  The server tells why, and doesn't stop.\n</p>;"), ['2: "tells"']);
  });

  it('reads Markdown without its code, and descriptions of packages', () => {
    assert.deepEqual(found('a.md', '`nobody`\n```sh\necho nobody\n```\n[a](nobody.md) nobody'), ['5: "nobody"']);
    assert.deepEqual(found('package.json', '{\n  "name": "as nobody said",\n  "description": "Told by nobody"\n}'), [
      '3: "nobody"',
      '3: "Told"',
    ]);
  });
});

describe('prose of a file', () => {
  it('stays at its place', () => {
    const text = "const a = /* one */ 'two words' + b; // three\n";
    const prose = proseOf('a.ts', text);
    assert.equal(prose.length, text.length);
    for (const part of ['one', 'two words', 'three']) assert.equal(prose.indexOf(part), text.indexOf(part));
    assert.doesNotMatch(prose, /const|[ab](?=;)/);
  });
});

/** Documents of formats that are not tables: notebooks, footnotes, texts of any encoding. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { splitReferences, takeFootnotes } from '../src/model/footnotes.js';
import { readNotebook } from '../src/model/notebook.js';
import { looksLikeText } from '../src/model/sniff.js';
import { visibleText } from '../src/model/visible-text.js';

describe('a notebook', () => {
  it('of format 4 has the language of its kernel, and of a cell that names another', () => {
    const { language, cells } = readNotebook({
      metadata: { language_info: { name: 'R' } },
      cells: [
        { cell_type: 'code', source: ['x <- 1\n', 'x'], outputs: [{ output_type: 'stream', text: ['1\n'] }] },
        { cell_type: 'code', source: '%%bash\nls', outputs: [] },
        { cell_type: 'markdown', source: 'text' },
      ],
    });
    assert.equal(language, 'r');
    assert.deepEqual(cells, [
      { kind: 'code', source: 'x <- 1\nx', language: 'r', outputs: [{ kind: 'text', text: '1\n' }] },
      { kind: 'code', source: '%%bash\nls', language: 'sh', outputs: [] },
      { kind: 'text', source: 'text' },
    ]);
  });

  it('of formats 3 and 2 has its cells in work sheets', () => {
    const { cells } = readNotebook({
      nbformat: 3,
      worksheets: [
        {
          cells: [
            { cell_type: 'heading', level: 2, source: 'Title' },
            { cell_type: 'code', language: 'python', input: ['1 + 1'], outputs: [{ output_type: 'pyout', text: ['2'] }] },
            { cell_type: 'code', input: 'draw()', outputs: [{ output_type: 'display_data', png: 'iVBO\nRw0=' }] },
          ],
        },
      ],
    });
    assert.deepEqual(cells, [
      { kind: 'heading', source: 'Title', level: 2 },
      { kind: 'code', source: '1 + 1', language: 'py', outputs: [{ kind: 'text', text: '2' }] },
      { kind: 'code', source: 'draw()', language: 'py', outputs: [{ kind: 'picture', source: 'data:image/png;base64,iVBORw0=' }] },
    ]);
  });

  it('shows whole tracebacks without colours, SVG as a picture, and the richest form of an output', () => {
    const output = (found: object) => {
      const [cell] = readNotebook({ cells: [{ cell_type: 'code', source: '', outputs: [found] }] }).cells;
      return cell?.kind === 'code' ? cell.outputs : [];
    };
    assert.deepEqual(output({ output_type: 'error', ename: 'E', evalue: 'v', traceback: ['\u001b[0;31mE\u001b[0m', 'line 1'] }), [
      { kind: 'error', text: 'E\nline 1' },
    ]);
    assert.deepEqual(output({ output_type: 'error', ename: 'E', evalue: 'v' }), [{ kind: 'error', text: 'E: v' }]);
    assert.deepEqual(output({ output_type: 'display_data', data: { 'image/svg+xml': '<svg/>', 'text/plain': 'x' } }), [
      { kind: 'picture', source: 'data:image/svg+xml;charset=utf-8,%3Csvg%2F%3E' },
    ]);
    assert.deepEqual(output({ output_type: 'execute_result', data: { 'text/html': '<b>x</b>', 'text/plain': 'x' } }), [
      { kind: 'html', html: '<b>x</b>' },
    ]);
    assert.deepEqual(output({ output_type: 'execute_result', data: { 'application/json': { a: 1 } } }), [
      { kind: 'text', text: '{\n  "a": 1\n}' },
    ]);
    assert.deepEqual(output({ output_type: 'execute_result', data: {} }), []);
  });

  it('is refused when it has no cells', () => {
    for (const value of [null, [], 1, {}, { cells: 1 }]) assert.throws(() => readNotebook(value), /not a notebook/);
    assert.deepEqual(readNotebook({ cells: [null, 1, { cell_type: 1, source: 2 }] }).cells.length, 3);
  });
});

describe('footnotes', () => {
  it('are taken out of the text, with the lines that belong to them, but not out of code', () => {
    const { text, notes } = takeFootnotes('A[^1] b.\n\n[^1]: First\n    and more\n\n[^x]: Other\nText\n```\n[^2]: code\n```\n');
    assert.deepEqual(notes, [
      { name: '1', text: 'First\nand more' },
      { name: 'x', text: 'Other' },
    ]);
    assert.equal(text, 'A[^1] b.\n\nText\n```\n[^2]: code\n```\n');
  });

  it('are referred to by their names, where they exist', () => {
    assert.deepEqual(splitReferences('a[^1]b[^2]', new Set(['1'])), ['a', { name: '1' }, 'b', '[^2]']);
  });
});

describe('a text', () => {
  it('is one in UTF-16 or with a few bytes of another encoding, too; bytes are not', () => {
    assert.ok(looksLikeText(Buffer.from('\ufeffgröße', 'utf16le')));
    assert.ok(looksLikeText(Buffer.from('eine ganze Zeile mit größe\n', 'latin1')));
    assert.ok(!looksLikeText(Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])));
    assert.ok(!looksLikeText(Buffer.from(Array.from({ length: 64 }, (_, i) => 128 + i))));
  });

  it('shows characters that turn the direction of writing, and leaves its lines', () => {
    assert.equal(visibleText('a\u202eb\tc\nd\u0000'), 'a\\u{202e}b\tc\nd\\u{0}');
  });
});

import assert from 'node:assert/strict';
import { Readable, Writable } from 'node:stream';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { commitGraph, diffLine, objectLine, statBlock } from '@srv/engine/commands';
import { itemsOf, nameOf } from '@srv/engine/shell';
import {
  ExitError,
  UsageError,
  commitBlock,
  describeTerminal,
  exitCodeOf,
  failureText,
  formatDate,
  formatSize,
  labelled,
  logEntry,
  table,
} from '@srv/lib-commands';
import { printResult } from '../src/output/print.js';
import type { Command, CommandContext, Format } from '@srv/lib-commands';

const facts = { env: {}, stdoutIsTerminal: true, stdinIsTerminal: true, noColor: false };
const pipe = describeTerminal({ ...facts, stdoutIsTerminal: false });
const screen = describeTerminal(facts);

test('terminals: what decides about tables and colours', () => {
  const of = (changes: Partial<typeof facts> & { env?: Record<string, string> }): [boolean, boolean] => {
    const { interactive, colours } = describeTerminal({ ...facts, ...changes });
    return [interactive, colours.isColorSupported];
  };
  assert.deepEqual(of({}), [true, true]);
  assert.deepEqual(of({ stdoutIsTerminal: false }), [false, false]);
  assert.deepEqual(of({ noColor: true }), [true, false]);
  assert.deepEqual(of({ env: { NO_COLOR: '1' } }), [true, false]);
  assert.deepEqual(of({ env: { NO_COLOR: '0' } }), [true, true]);
  assert.deepEqual(of({ env: { CLI_INTERACTIVE: 'false' } }), [false, false]);
  assert.deepEqual(of({ stdoutIsTerminal: false, env: { CLI_INTERACTIVE: 'true' } }), [true, true]);
});

test('sizes count in thousands', () => {
  const vectors: readonly [number, string][] = [
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [1549, '1.5 kB'],
    [999_949, '999.9 kB'],
    [999_999, '1.0 MB'],
    [5e18, '5.0 EB'],
  ];
  for (const [bytes, text] of vectors) assert.equal(formatSize(bytes), text);
});

test('dates are local, with offset and zone', t => {
  assert.match(formatDate(0), /^19(69|70)-\d\d-\d\d \d\d:\d\d:\d\d [-+]\d{4} \w{1,4}$/);
  const zone = process.env['TZ'];
  t.after(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });
  // Twice, since names are kept.
  for (const [name, shown] of [
    ['UTC', '1970-01-01 00:00:00 +0000 UTC'],
    ['Etc/GMT', '1970-01-01 00:00:00 +0000 GMT'],
    ['America/New_York', '1969-12-31 19:00:00 -0500 EST'],
    ['Asia/Kolkata', '1970-01-01 05:30:00 +0530 0530'],
    ['UTC', '1970-01-01 00:00:00 +0000 UTC'],
    ['America/New_York', '1969-12-31 19:00:00 -0500 EST'],
  ] as const) {
    process.env['TZ'] = name;
    assert.equal(formatDate(0), shown);
  }
  assert.equal(formatDate(1_750_000_000), '2025-06-15 11:06:40 -0400 EDT');
});

test('a table is boxed on a terminal and tab-separated in a pipe', () => {
  const rows = [
    ['main', 'c1'],
    ['a long name', 'c2'],
  ];
  assert.equal(table(['Branch', 'Commit ID'], rows, pipe), 'main\tc1\na long name\tc2');
  assert.equal(
    table(['Branch', 'Commit ID'], rows, screen),
    [
      '+-------------+-----------+',
      '| BRANCH      | COMMIT ID |',
      '+-------------+-----------+',
      '| main        | c1        |',
      '| a long name | c2        |',
      '+-------------+-----------+',
    ].join('\n'),
  );
  assert.match(table(['Branch'], [], screen), /\| BRANCH \|/);
});

test('labels are aligned and absent values left out', () => {
  assert.equal(
    labelled([
      ['a', 1],
      ['longer', 'x'],
      ['none', undefined],
    ]),
    'a:      1\nlonger: x',
  );
});

const commit = {
  id: 'f'.repeat(64),
  parents: ['a', 'b'],
  committer: 'me',
  message: 'first\nsecond',
  creation_date: 0,
  meta_range_id: 'm',
  metadata: { key: 'value' },
};

test('a log entry shows what there is', () => {
  const lines = logEntry(commit, pipe, { metarange: true }).split('\n');
  assert.deepEqual(
    lines.filter((_, i) => i !== 3),
    [
      '',
      `ID:            ${commit.id}`,
      'Author:        me',
      'Meta Range ID: m',
      'Merge:         a, b',
      '',
      '\tfirst',
      '\tsecond',
      '',
      'Metadata:',
      '\tkey                = value',
      '',
      '',
    ],
  );
  assert.ok(!logEntry({ ...commit, committer: '', parents: [], metadata: {} }, pipe, { metarange: false }).match(/Author|Merge|Meta/));
  assert.match(
    commitBlock('main', commit, pipe),
    /^Commit for branch "main" completed\.\n\nID: f{64}\nMessage: first\nsecond\nTimestamp: .*\nParents: a, b\n$/,
  );
});

test('the graph escapes what HTML would read', async () => {
  const text = (
    await Readable.from(commitGraph(Readable.from([{ ...commit, message: 'a <b> & "c"\nd' }]), id => `http://h/${id}`)).toArray()
  ).join('');
  assert.match(text, /^digraph \{\n\trankdir="BT"\n/);
  assert.match(text, /label=< <b>ffffffff<br\/> a &lt;b&gt; &amp; &#34;c&#34;<br\/>d<\/b> >\]/);
  assert.match(text, /\t"a" -> "f+";\n\t"b" -> "f+";\n\}\n$/);
});

test('changes have a sign, a word and a colour', () => {
  assert.equal(diffLine('changed', 'x', pipe), '~ modified x');
  assert.equal(diffLine('added', 'x', screen), '\x1b[32m+ added x\x1b[39m');
  assert.equal(diffLine('conflict', 'x', screen), '\x1b[93m* conflict x\x1b[39m');
});

test('objects: listing lines and facts', () => {
  const object = {
    path: 'a/b',
    path_type: 'object',
    physical_address: 'local://x',
    checksum: 'c',
    size_bytes: 1500,
    mtime: 0,
    content_type: 'text/plain',
    metadata: { k: 'v' },
  } as const;
  const prefix = { path: 'a/', path_type: 'common_prefix', physical_address: '', checksum: '', mtime: 0 } as const;
  assert.match(objectLine(object, 'b', pipe), /^object {6} {4}\d{4}-.{24} {4}1\.5 kB {6} {4}b$/);
  assert.equal(objectLine(prefix, 'a/', pipe), `common_prefix${' '.repeat(52)} a/`);
  const columns = [objectLine(object, 'PATH', screen), objectLine(prefix, 'PATH', screen)].map(line =>
    stripVTControlCharacters(line).indexOf('PATH'),
  );
  assert.deepEqual(columns, [60, 60], 'on a screen, objects and folders are one table');
  assert.deepEqual(
    statBlock(object)
      .split('\n')
      .filter(line => !line.startsWith('Modified')),
    [
      'Path: a/b',
      'Size: 1500 bytes',
      'Human Size: 1.5 kB',
      'Physical Address: local://x',
      'Checksum: c',
      'Content-Type: text/plain',
      'Metadata:',
      '\tk = v',
    ],
  );
});

test('names identify items', () => {
  assert.deepEqual([{ id: 'a', path: 'p' }, { id: 'a' }, 'text', { pattern: 'x*' }].map(nameOf), ['p', 'a', 'text', 'x*']);
  assert.deepEqual(itemsOf({ results: [1, 2], pagination: {} }), [1, 2]);
  assert.deepEqual(itemsOf(undefined), []);
});

/** What a command's data looks like in a pipe. */
async function printed(data: unknown, format?: Format, render?: (data: unknown) => string, facts = {}): Promise<string> {
  const chunks: Buffer[] = [];
  const stream = Object.assign(
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        chunks.push(chunk);
        done();
      },
    }),
    facts,
  );
  const command: Command = { name: 'x', summary: '', run: () => undefined, ...(render ? { render } : {}) };
  // Renderers of these tests look at the terminal only.
  const context = { terminal: pipe } as CommandContext;
  await printResult(command, data, context, { stream, input: { args: [], options: {} }, format });
  return Buffer.concat(chunks).toString();
}

test('any data can be printed in any form', async () => {
  const page = { results: [{ id: 'a', size: 1 }, { id: 'b' }], pagination: { has_more: false } };
  // A list is a list, whether the server gave it in pages or the command item by item.
  assert.equal(await printed(page, 'json'), `${JSON.stringify(page.results, null, 2)}\n`);
  assert.equal(await printed(page, 'yaml'), '- id: a\n  size: 1\n- id: b\n');
  assert.deepEqual(JSON.parse(await printed({ ...page, interrupted: 'no' }, 'json')), { ...page, interrupted: 'no' });
  assert.equal(await printed(page, 'name'), 'a\nb\n');
  assert.equal(await printed(page, 'table'), 'a\t1\nb\t\n');
  assert.equal(await printed(page, undefined, () => 'own text'), 'own text\n');
  assert.equal(await printed(undefined, 'json'), '');
});

test('streams are printed item by item, and as one JSON list', async () => {
  const items = async function* () {
    yield { path: 'a' };
    yield { path: 'b' };
  };
  const none = async function* () {};
  assert.deepEqual(JSON.parse(await printed(items(), 'json')), [{ path: 'a' }, { path: 'b' }]);
  assert.equal(await printed(none(), 'json'), '[]\n');
  assert.equal(await printed(items(), 'yaml'), '- path: a\n- path: b\n');
  assert.equal(await printed(items(), 'name'), 'a\nb\n');
  assert.equal(await printed(items(), undefined, item => `<${(item as { path: string }).path}>`), '<a>\n<b>\n');
  assert.equal(await printed(Readable.from([Buffer.from([0, 255])])), Buffer.from([0, 255]).toString());
});

test('a terminal obeys nothing in names but colours, a pipe gets them as they are', async () => {
  const name = '\x1b]0;title\x07\x1b[31mred\x1b[2J\r\x9b1mü\tend';
  const shown = '\\u001b]0;title\\u0007\x1b[31mred\\u001b[2J\\r\\u009b1mü\tend\n';
  const facts = { isTTY: true };
  const items = async function* () {
    yield name;
  };
  assert.equal(await printed(name, undefined, String, facts), shown);
  assert.equal(await printed(items(), undefined, String, facts), shown);
  assert.equal(await printed({ path: name }, 'name', undefined, facts), shown);
  assert.deepEqual(JSON.parse(await printed({ path: name }, 'json', undefined, facts)), { path: name });
  assert.equal(await printed(name, undefined, String), `${name}\n`);
  assert.equal(await printed(Readable.from([Buffer.from(name)]), undefined, undefined, facts), name);
  assert.equal(failureText(new Error('\x07'), screen), '\x1b[91m\\u0007\x1b[39m\nError executing command.');
});

test('failures: arguments, answers of the server, and the rest', () => {
  const answer = Object.assign(new Error('branch not found'), { status: 404, statusText: 'Not Found' });
  assert.equal(failureText(new UsageError('unknown flag: --x'), pipe), 'Error: unknown flag: --x');
  assert.equal(failureText(answer, pipe), 'branch not found\n404 Not Found');
  assert.equal(failureText(new Error('no luck'), pipe), 'no luck\nError executing command.');
  assert.equal(failureText(new Error('no luck'), screen), '\x1b[91mno luck\x1b[39m\nError executing command.');
  assert.deepEqual([new Error('x'), new UsageError('x'), answer, new ExitError(3)].map(exitCodeOf), [1, 2, 3, 3]);
});

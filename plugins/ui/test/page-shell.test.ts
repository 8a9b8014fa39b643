/** The shell of the page without a page: lines, expressions, what is elsewhere. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineCommands } from '@srv/engine/commands';
import { CommandTable } from '@srv/engine/shell';
import { shownText } from '@srv/lib-page/model';
import { commonStart, completedLine } from '../src/model/shell-line.js';
import { hrefOfUri, uriOfRoute } from '../src/model/shell-place.js';
import { cellOf, columnsOf, sorted, targetOf, widthOf } from '../src/model/shell-rows.js';
import { readExpression } from '../src/shell/expression.js';
import { PageShell } from '../src/shell/page-shell.js';
import { addPluginCommands } from '../src/shell/plugin-commands.js';
import type { ShellRow } from '../src/model/shell-rows.js';
import type { ShellEvent } from '../src/shell/protocol.js';

type Answers = Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => unknown>>;

const objects = [
  { path: 'a.txt', path_type: 'object', size_bytes: 5, mtime: 1 },
  { path: 'b.png', path_type: 'object', size_bytes: 50, mtime: 2 },
];
const page = (results: readonly unknown[]) => ({ results, pagination: { has_more: false, next_offset: '' } });
const usual: Answers = {
  listObjects: () => page(objects),
  getRepository: () => ({ id: 'lakes' }),
  listBranches: () => page([{ id: 'main', commit_id: 'c' }]),
  listTags: () => page([]),
  deleteBranch: () => undefined,
};

function shell(answers: Answers = usual, agrees = true) {
  const commands = new CommandTable();
  for (const command of engineCommands) commands.add(command, 'cli');
  const calls: string[] = [];
  const asked: string[] = [];
  const made = new PageShell({
    commands,
    elsewhere: { local: 'local', log: 'other' },
    endpoint: new URL('http://127.0.0.1/api/v1'),
    send: async (id, input, { signal }) => {
      calls.push(id);
      await new Promise(resolve => setTimeout(resolve));
      signal?.throwIfAborted();
      const answer = answers[id];
      if (!answer) throw Object.assign(new Error(`no ${id}`), { status: 404 });
      return { status: 200, headers: {}, data: answer(input) };
    },
    ask: async question => {
      asked.push(question);
      return agrees;
    },
  });
  made.place.move('srv://lakes/main');
  const run = async (line: string): Promise<readonly ShellEvent[]> => {
    const events: ShellEvent[] = [];
    await made.run(line, event => events.push(event));
    return events;
  };
  const say = async (line: string): Promise<string> =>
    (await run(line))
      .map(event => (event.kind === 'text' ? event.text : event.kind === 'rows' ? `${event.rows.length} rows` : event.kind))
      .join('\n');
  return { made, calls, asked, run, say };
}

const names = (values: Readonly<Record<string, unknown>>) => (name: string) =>
  Object.hasOwn(values, name) ? { value: values[name] } : undefined;
const compute = (text: string, values: Readonly<Record<string, unknown>> = {}): unknown => readExpression(text).evaluate(names(values));

test('expressions are what is safe of JavaScript', () => {
  const list = [{ n: 3 }, { n: 1 }, { n: 2 }];
  const cases: readonly [string, unknown][] = [
    ['1 + 2 * 3', 7],
    ["'a' + 1", 'a1'],
    ['list.filter(o => o.n > 1).length', 2],
    ['list.map(o => o.n).sort().join()', '1,2,3'],
    ['list.reduce((sum, o) => sum + o.n, 0)', 6],
    ['list[0].n', 3],
    ['[1, 2].toString()', '1,2'],
    ['list.none', undefined],
    ['list[9]?.n', undefined],
    ['/^a.c$/i.test("ABC")', true],
    [['`$', '{list.length} items`'].join(''), '3 items'],
    ['!list.length || "some"', 'some'],
    ['missing ?? 1', 1],
    ['missing == null ? "no" : "yes"', 'no'],
    ['Math.max(1, 2)', 2],
    ['Object.keys({a: 1, list})', ['a', 'list']],
    ['typeof list', 'object'],
    ['-1 < +"2"', true],
    ['(5).toFixed(1)', '5.0'],
    ['new_name', 4],
  ];
  const values = { list, missing: undefined, new_name: 4 };
  for (const [text, value] of cases) assert.deepEqual(compute(text, values), value, text);
});

test('nothing of an expression reaches beyond the data', () => {
  for (const text of [
    '"".constructor',
    '[].constructor',
    '(x => x).constructor',
    'list.filter.constructor',
    'Math.constructor',
    'Object.getPrototypeOf',
    'Object.assign',
    'list.__proto__',
    'list["__proto__"]',
    'item.constructor',
    'list.push',
    'Number.constructor',
    'Date().constructor',
  ])
    assert.equal(compute(text, { list: [1], item: { a: 1 } }), undefined, text);
  for (const text of ['globalThis', 'self', 'process', 'this', 'fetch("/")', 'Function("1")', 'constructor', 'toString()', '__proto__'])
    assert.throws(() => compute(text), Error, text);
  for (const text of ['while (true) {}', 'let x; x', 'a = 1', '1 +', '"open', '(x => { return 1 })(1)', 'import("x")'])
    assert.throws(() => compute(text), Error, text);
});

test('lists are rows, filtered and remembered; the rest is text', async () => {
  const { run, say } = shell();
  const events = await run('ls | where size_bytes > limit');
  assert.deepEqual(events, [
    { kind: 'text', tone: 'note', text: 'nothing found' },
    { kind: 'text', tone: 'note', text: 'no item has a field limit' },
  ]);
  await run('limit = 10');
  assert.deepEqual(await run('ls | where size_bytes > limit'), [
    { kind: 'rows', rows: [objects[1]], origin: { repository: 'lakes', ref: 'main' } },
  ]);
  assert.equal(await say('_[0].path'), 'b.png');
  assert.equal(await say('_'), 'b.png', 'the data of the line before');
  assert.equal(await say('ls -o name'), 'a.txt\nb.png');
  assert.equal(await say('pwd'), 'srv://lakes/main');
  assert.equal(await say('# nothing'), '');
  assert.equal(await say('exit'), 'leave');
  assert.equal(await say('open b.png'), 'open');
});

test('distinguishes commands that need a machine, even below a group that is here', async () => {
  const { say, made } = shell();
  assert.match(
    await say('fs upload x'),
    /^fs upload does not run in the page: it needs files of your machine; .* In a terminal: cli fs upload x$/,
  );
  assert.match(await say('upload x'), /In a terminal: cli fs upload x$/);
  assert.match(await say('local list'), /plugin local brings it for cli/);
  assert.match(await say('ls | wc -l'), /^a page cannot run "wc -l"/);
  assert.match(await say('fs --help'), /presign/);
  assert.match(await say('log --none'), /unknown flag/, 'what is here is not elsewhere');
  assert.match(await say('help'), /Only in cli[^\n]*: (?!.*\blog\b).*\blocal\b/);
  assert.equal(made.isCommand('config'), true);
  assert.equal(made.isCommand('config = 1'), false);
});

test('deleting asks, and a no leaves everything as it is', async () => {
  const no = shell(usual, false);
  assert.match(await no.say('branch delete srv://lakes/try'), /Delete branch aborted/);
  assert.deepEqual(no.asked, ['Are you sure you want to delete branch']);
  assert.ok(!no.calls.includes('deleteBranch'));
  const yes = shell(usual, false);
  await yes.run('branch delete srv://lakes/try --yes');
  assert.deepEqual([yes.asked, yes.calls], [[], ['deleteBranch']]);
});

test('a stop ends an endless list', async () => {
  const later = { results: objects, pagination: { has_more: true, next_offset: 'z' } };
  const { made, run } = shell({ ...usual, listObjects: () => later });
  setTimeout(() => made.stop(), 20);
  assert.deepEqual((await run('ls -r')).at(-1), { kind: 'text', tone: 'error', text: 'stopped' });
});

test('an endless list stops at its limit', async () => {
  const many = Array.from({ length: 1000 }, () => objects[0]);
  const { run } = shell({ ...usual, listObjects: () => ({ results: many, pagination: { has_more: true, next_offset: 'z' } }) });
  const events = await run('ls -r');
  assert.equal(
    events.reduce((sum, event) => sum + (event.kind === 'rows' ? event.rows.length : 0), 0),
    100_000,
  );
  assert.match(events.map(event => (event.kind === 'text' ? event.text : '')).join(''), /the first 100,000/);
});

test('completion knows commands, options, places and paths', async () => {
  const { made } = shell();
  assert.deepEqual((await made.complete('cherry')).candidates, ['cherry-pick']);
  assert.deepEqual((await made.complete('log --no-m')).candidates, ['--no-merges']);
  assert.deepEqual(await made.complete('ls b'), { candidates: ['a.txt', 'b.png'].filter(path => path.startsWith('b')), partial: 'b' });
  assert.deepEqual((await made.complete('log ma')).candidates, ['main']);
  assert.deepEqual((await made.complete('1 + ')).candidates, []);
});

test('a plugin that does not work is named, and one that repeats a command is left out', () => {
  const table = new CommandTable();
  for (const command of engineCommands) table.add(command, 'cli');
  const command = { name: 'hello', summary: 'Greet', run: () => 'hello' };
  const plugin = (name: string, made: typeof command) => ({
    default: {
      apply: ({ hooks }: { hooks: { commands: { tap(n: string, add: (r: CommandTable) => void): void } } }) =>
        hooks.commands.tap(name, r => r.add(made, name)),
    },
  });
  assert.match(addPluginCommands(table, 'empty', {}) ?? '', /plugin empty has no plugin as default export/);
  assert.match(
    addPluginCommands(table, 'broken', {
      default: {
        apply() {
          throw new Error('no');
        },
      },
    }) ?? '',
    /plugin broken does not work: no/,
  );
  assert.equal(addPluginCommands(table, 'good', plugin('good', command)), undefined);
  assert.match(
    addPluginCommands(table, 'double', plugin('double', { ...command, name: 'log' })) ?? '',
    /command log is added by both cli and double/,
  );
  assert.ok(table.firstWords().has('hello'));
});

test('rows as a table: what is of use first, exact values beside those for people, links', () => {
  const rows = [
    { checksum: 'x', metadata: {}, path: 'a', size_bytes: 2048, mtime: 86_400, path_type: 'object' },
    { path: 'b/', path_type: 'common_prefix' },
  ];
  assert.deepEqual(columnsOf(rows), ['path', 'size_bytes', 'mtime', 'path_type', 'checksum']);
  assert.deepEqual(cellOf('size_bytes', 2048), { text: '2.0 KiB', exact: '2,048 bytes', isNumber: true });
  assert.equal(cellOf('mtime', 86_400).exact, '1970-01-02T00:00:00.000Z');
  assert.deepEqual(cellOf('id', 'c'.repeat(64)), { text: 'c'.repeat(12), exact: 'c'.repeat(64) });
  assert.deepEqual(cellOf('path', 'a\u202eb'), { text: 'a\\u{202e}b' });
  assert.equal(shownText('  a\tb  c\n\u202ec\u0000 '), '  a\tb  c\n\\u{202e}c\\u{0} ');
  assert.deepEqual(cellOf('metadata', { a: 1 }), { text: '{"a":1}' });
  assert.equal(widthOf('path', [{ path: 'x'.repeat(500) }]), 50);
  // A column that only some rows have, named like what every object inherits.
  assert.equal(widthOf('constructor', [{ n: 1 }]), 'constructor'.length + 4);
  const found: readonly ShellRow[] = [{ constructor: 'b' }, { n: 1 }, { constructor: 'a' }];
  assert.deepEqual(sorted(found, 'constructor', false), [found[1], found[2], found[0]]);
  assert.deepEqual(sorted([{ n: 10 }, { n: 9 }, {}], 'n', false).at(-1), { n: 10 });
  const origin = { repository: 'lakes', ref: 'main' };
  assert.deepEqual(targetOf(rows[1] ?? {}, origin), { column: 'path', kind: 'folder', repository: 'lakes', ref: 'main', path: 'b/' });
  assert.deepEqual(targetOf({ id: 'v1', commit_id: 'c' }, origin), { column: 'id', kind: 'ref', repository: 'lakes', id: 'v1' });
  assert.deepEqual(targetOf({ id: 'lakes', default_branch: 'main' }, undefined), { column: 'id', kind: 'repository', id: 'lakes' });
  assert.equal(targetOf({ path: 'a', type: 'removed' }, origin), undefined);
});

test('addresses of the shell and of the page', () => {
  assert.equal(uriOfRoute(['repositories', 'lakes', 'objects'], { ref: 'main', path: 'a/b' }), 'srv://lakes/main/a/');
  assert.equal(uriOfRoute(['repositories', 'lakes', 'branches'], {}), 'srv://lakes');
  assert.equal(uriOfRoute(['auth', 'users'], {}), undefined);
  assert.equal(hrefOfUri('srv://lakes'), 'repositories/lakes/objects');
  assert.equal(hrefOfUri('srv://lakes/main/a/'), 'repositories/lakes/objects?ref=main&path=a%2F');
  assert.equal(hrefOfUri('srv://lakes/main/a?b'), 'repositories/lakes/object?ref=main&path=a%3Fb');
});

test('a candidate takes the place of the word that is typed, in quotes where it needs them', () => {
  const cases: readonly [string, string, string][] = [
    ['ls im', 'images/', 'ls images/'],
    ['stat a', 'a.txt', 'stat a.txt '],
    ['cat ', 'a.txt', 'cat a.txt '],
    ["cat 'my fi", 'my file', "cat 'my file' "],
    ['cat my\\ fi', 'my file', "cat 'my file' "],
    ['cat "my fi', "it's", "cat 'it'\\''s' "],
  ];
  for (const [line, candidate, completed] of cases) assert.equal(completedLine(line, candidate, true), completed, line);
  assert.equal(completedLine('commit --al', '--allow-', false), 'commit --allow-');
  assert.equal(commonStart(['--allow-a', '--allow-b', '--al']), '--al');
});

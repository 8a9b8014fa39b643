import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CurrentUri, OpenLineError, ShellCompleter, commonStart, completedLine, splitWords } from '@srv/engine/shell';
import { scratchFolder } from '@srv/kernel/testing';
import { noProgress } from '@srv/lib-commands';
import { localPaths } from '../src/local-paths.js';
import { lineOfWords } from '../src/shell/line.js';
import { parallel } from '../src/shell/parallel.js';
import { page, refusal } from './fake-context.js';
import { shell } from './shell.js';

test('a line is split like in a POSIX shell', () => {
  const values: Readonly<Record<string, string>> = { NAME: 'value', 1: 'first' };
  const split = (line: string): string[] => splitWords(line, name => values[name]);
  const vectors: readonly [string, string[]][] = [
    ['commit -m "two words" # why', ['commit', '-m', 'two words']],
    ['a \'b "c" $NAME\' d\\ e', ['a', 'b "c" $NAME', 'd e']],
    ['"$NAME/$' + '{NAME}x" $1', ['value/valuex', 'first']],
    ['srv://repo/main$ "" #', ['srv://repo/main$', '']],
    ['"a\\n\\"b" c#d', ['a\\n"b', 'c#d']],
    ['"\\$NAME" \\$NAME \'\\$NAME\'', ['$NAME', '$NAME', '\\$NAME']],
    ['', []],
  ];
  for (const [line, words] of vectors) assert.deepEqual(split(line), words, line);
  for (const open of ["a 'b", 'a "b', 'a \\']) assert.throws(() => split(open), OpenLineError);
  assert.throws(() => split('$OTHER'), { message: '$OTHER is not set; put the word in single quotes to use it literally' });
});

test('addresses are relative to the place', () => {
  const place = new CurrentUri();
  assert.equal(place.resolve('x', 'path'), 'x', 'nowhere');
  place.move('srv://repo/main/images');
  assert.equal(String(place), 'repo/main/images/');
  const reader = place.reader();
  assert.deepEqual(reader.path('a.png'), { repository: 'repo', ref: 'main', path: 'images/a.png' });
  assert.equal(reader.path('.').path, 'images/');
  assert.equal(reader.path('/x').path, 'x');
  assert.equal(reader.path('../../y').path, 'y');
  assert.equal(reader.path('./y').path, 'images/y');
  assert.deepEqual(reader.ref('dev'), { repository: 'repo', ref: 'dev' });
  assert.deepEqual(reader.branch('.'), { repository: 'repo', ref: 'main' });
  assert.deepEqual(reader.repository('.'), { repository: 'repo' });
  assert.deepEqual(reader.ref('srv://other/v1'), { repository: 'other', ref: 'v1' });
  place.move('..');
  assert.equal(String(place), 'repo/main');
});

const object = (path: string, size: number) => ({
  path,
  path_type: 'object',
  physical_address: '',
  checksum: '',
  size_bytes: size,
  mtime: 0,
});
const branches = { listBranches: page([{ id: 'main', commit_id: 'c1' }]) };
const objects = { listObjects: page([object('images/a', 5), object('images/b', 7)]) };

test('a script mixes commands and JavaScript; _ is the data of the last line', async () => {
  const { run, out, calls } = shell(objects);
  const code = await run(
    [
      '# a comment',
      'use srv://$HOME_REPO/main',
      'ls -r images/',
      'const big = _.filter(o => o.size_bytes > 5).length',
      'big',
      'const sizes = await parallel(',
      '  [1, 2, 3],',
      '  async n => n * 2,',
      ')',
      'sizes.join()',
      'pwd',
    ].join('\n'),
  );
  assert.equal(code, 0);
  assert.match(out(), /^object .* 5 B .*\nobject .* 7 B .*\n1\n2,4,6\nsrv:\/\/repo\/main\n$/);
  assert.deepEqual(calls.at(-1), ['listObjects', { repository: 'repo', ref: 'main', prefix: 'images/', amount: 1000 }]);
});

test('the place stands in for an address that is left out, but never for what is deleted', async () => {
  const commit = { id: 'c1', message: 'x', creation_date: 0, parents: [], committer: '', meta_range_id: '' };
  const { run, calls, told } = shell({ commit, ...branches, createTag: { id: 'v1', commit_id: 'c1' } });
  assert.equal(await run('use srv://repo/main\ncommit -m $1\nbranch list\ntag create v1', { args: ['x'] }), 0, told.join());
  assert.deepEqual(
    calls.filter(([name]) => name !== 'listObjects').map(([name, input]) => [name, (input as { repository: string }).repository]),
    [
      ['commit', 'repo'],
      ['listBranches', 'repo'],
      ['createTag', 'repo'],
    ],
  );
  for (const line of ['repo delete -y', 'branch delete -y', 'rm -r', 'tag delete']) {
    assert.equal(await run(line), 2);
    assert.match(told.join('\n'), /Error: accepts 1 arg\(s\), received 0/);
  }
});

test('the first failure stops a script, with its line; --keep-going continues', async () => {
  const failing = { ...branches, getCurrentUser: () => Promise.reject(refusal(401, 'who are you')) };
  const stopped = shell(failing);
  assert.equal(await stopped.run('identity\nbranch list srv://repo'), 4);
  assert.deepEqual(stopped.told, ['who are you\n401 Unauthorized', 'script:1:1: failed with exit code 4']);
  assert.equal(stopped.out(), '');
  const going = shell(failing);
  assert.equal(await going.run('identity\nthrow new Error("mine")\nbranch list srv://repo', { keepGoing: true }), 4);
  assert.equal(going.out(), 'main\tc1\n');
  assert.match(going.told.join('\n'), /mine\nError executing command\.\nscript:2:7: failed/);
  const open = shell({});
  assert.equal(await open.run('const a = ['), 2);
  assert.match(open.told.join(), /^Error: script:1: the program is not complete/);
});

test('does not take JavaScript for a command', () => {
  const { session } = shell({}, { added: ['import'] });
  for (const line of ['log = 1', 'diff(1)', 'log.x', 'const a = 1', 'log => 1', 'x', 'import("a")'])
    assert.ok(!session.isCommand(line), line);
  for (const line of ['log srv://repo/main', 'ls', '  repo list', 'import --from x', 'help fs']) assert.ok(session.isCommand(line), line);
});

test('JSON is one line per command', async () => {
  const { run, out } = shell({ ...objects, ...branches }, { format: 'json' });
  assert.equal(await run('ls srv://repo/main/\nbranch list srv://repo\n({ a: 1 })', { json: true }), 0);
  const lines = out()
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as unknown);
  assert.deepEqual(lines, [objects.listObjects.results, branches.listBranches.results, { a: 1 }]);
});

test('an interrupt ends the command and not the shell', async () => {
  const { session, run, told } = shell({
    getCurrentUser: () => {
      assert.ok(session.interrupt());
      throw new Error('torn');
    },
    ...branches,
  });
  assert.equal(await run('identity\nbranch list srv://repo', { keepGoing: true }), 1);
  assert.match(told[0] ?? '', /^interrupted\n/);
  assert.equal(session.interrupt(), false);
});

test('completion: commands, then addresses relative to the place, asked once', async () => {
  const { session, calls } = shell({ ...objects, ...branches, listTags: page([]) });
  const completer = new ShellCompleter(session, localPaths);
  assert.deepEqual(await completer.complete('cherry'), [['cherry-pick'], 'cherry']);
  assert.equal(await completer.complete('const x'), undefined);
  await session.call(lineOfWords(['use', 'srv://repo/main']));
  const before = calls.length;
  assert.deepEqual(await completer.complete('ls images/'), [['images/a', 'images/b'], 'images/']);
  await completer.complete('ls images/');
  assert.equal(calls.length, before + 1, 'cached');
  assert.deepEqual(await completer.complete('merge m'), [['main'], 'm']);
  assert.deepEqual((await completer.complete('commit --mess'))?.[0], ['--message']);
  assert.deepEqual((await completer.complete('branch create new --source=m'))?.[0], ['--source=main']);
  assert.deepEqual((await completer.complete('-o json ls images/'))?.[0], undefined, 'JavaScript');
  assert.deepEqual((await completer.complete('ls -o json images/'))?.[0], ['images/a', 'images/b']);
});

test('completion leaves out names with control characters, which no shell can type', async () => {
  const names = ['tab\there', 'line\nbreak', 'escape\u001b[2J', 'fine'].map(path => ({ path }));
  const folder = scratchFolder();
  for (const { path } of names) writeFileSync(join(folder, path), '');
  const { completer } = shell({ listObjects: page(names) });
  assert.deepEqual((await completer.complete('ls srv://repo/main/'))?.[0], ['srv://repo/main/fine']);
  assert.deepEqual((await completer.complete(`upload srv://repo/main/ -s ${folder}/`))?.[0], [`${folder}/fine`]);
});

test('completion does not wait for a slow server', async () => {
  const { session } = shell({ listRepositories: () => new Promise(() => {}) });
  assert.deepEqual(await new ShellCompleter(session, localPaths).complete('repo delete srv://'), [[], 'srv://']);
});

test('a candidate becomes one word of a command, whatever is in it', () => {
  const { session } = shell({});
  const none = (): undefined => undefined;
  for (const name of ['a b/', "it's", 'a"b', 'back\\slash', '$HOME', '#x', 'a | b', '=x', 'in', '(', 'plain/x'])
    for (const line of ['cat ', "cat '", 'cat "', `cat ${name.slice(0, 1).replace(/\W/, '')}`]) {
      const whole = completedLine(line, name, true);
      assert.deepEqual(splitWords(whole, none), ['cat', name], whole);
      assert.ok(session.isCommand(whole), whole);
    }
  assert.equal(completedLine('ls | where (si', 'size_bytes', false), 'ls | where (size_bytes');
  assert.equal(completedLine('ls | where !si', 'size_bytes', true), 'ls | where !size_bytes ');
  assert.equal(commonStart(['x\u{1f600}', 'x\u{1f601}']), 'x', 'no half of a character');
});

test('leaving ends the requests that completion still waits for', async () => {
  const { session } = shell({});
  let given: AbortSignal | undefined;
  const listRepositories = (_input: unknown, { signal }: { readonly signal: AbortSignal }) =>
    new Promise((_resolve, reject) => {
      given = signal;
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const context = { client: async () => ({ listRepositories }) as never };
  const { place, table } = session;
  const completer = new ShellCompleter({ place, table, context, isCommand: () => true, fields: () => [] });
  assert.deepEqual(await completer.complete('repo delete srv://'), [[], 'srv://']);
  assert.equal(given?.aborted, false);
  completer.close();
  assert.equal(given?.aborted, true);
});

test('parallel keeps the order and the bound', async () => {
  let running = 0;
  let most = 0;
  const work = async (n: number): Promise<number> => {
    most = Math.max(most, ++running);
    await new Promise(resolve => {
      setTimeout(resolve, 5 - n);
    });
    running--;
    return n * 10;
  };
  assert.deepEqual(
    await parallel([1, 2, 3, 4], work, 2, { signal: new AbortController().signal, keepGoing: false, progress: () => noProgress }),
    [10, 20, 30, 40],
  );
  assert.equal(most, 2);
});

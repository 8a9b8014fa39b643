/** Lines that are neither a plain command nor plain JavaScript: pipelines, leaving, slips of the finger. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { splitStages } from '@srv/engine/shell';
import { localPaths } from '../src/local-paths.js';
import { collected } from '../src/shell/command-result.js';
import { readLine } from '../src/shell/line.js';
import { page } from './fake-context.js';
import { shell } from './shell.js';

const object = (path: string, size: number) => ({
  path,
  path_type: 'object',
  physical_address: '',
  checksum: '',
  size_bytes: size,
  mtime: 0,
});
const objects = { listObjects: page([object('a.png', 5), object('b.txt', 70), object('c.png', 900)]) };
const here = 'use srv://repo/main';
const line = (text: string) => readLine(text, () => undefined);

test('a line is split at bars that stand alone outside quotes', () => {
  const vectors: readonly [string, string[]][] = [
    ['ls', ['ls']],
    ["ls -r | grep 'a | b' | wc -l", ['ls -r', "grep 'a | b'", 'wc -l']],
    ['cat a|b', ['cat a|b']],
    ['cat "x | y" \\| z', ['cat "x | y" \\| z']],
    ['ls # | no', ['ls # | no']],
    ['ls |', ['ls', '']],
  ];
  for (const [line, stages] of vectors) assert.deepEqual(splitStages(line), stages, line);
});

test('output goes through programs, and their exit code counts', async () => {
  const { run, out, session } = shell(objects);
  assert.equal(await run(`${here}\nls | grep png | tr a-z A-Z`), 0);
  assert.match(out(), /A\.PNG\n.*C\.PNG\n$/);
  assert.equal(await shell(objects).run(`${here}\nls | grep nothing`), 1);
  assert.equal(await shell(objects).run(`${here}\nls | exit 7`), 7);
  assert.equal(await collected((await session.begin(line('ls | wc -l'))).data).then(Number), 3);
});

test('a program that has read enough ends the command without a complaint', async () => {
  const endless = async function* () {
    for (let i = 0; ; i++) yield object(`file-${i}`, i);
  };
  const { session, told, out } = shell(objects);
  session.table.add({ name: 'endless', summary: 'x', run: endless, render: data => (data as { path: string }).path }, 'test');
  const { exitCode } = await session.run(line('endless | head -n 2'));
  assert.deepEqual([exitCode, out(), told], [0, 'file-0\nfile-1\n', []]);
});

test('a command that finds a failure shows it and ends with 1; JavaScript gets what it found', async () => {
  const { session, out } = shell(objects);
  const examine = { name: 'examine', summary: 'x', run: () => ({ ok: false }), render: () => 'it is broken', failed: () => true };
  session.table.add(examine, 'test');
  assert.equal((await session.run(line('examine'))).exitCode, 1);
  assert.equal(out(), 'it is broken\n');
  assert.deepEqual((await session.begin(line('examine'))).data, { ok: false });
});

test('where keeps the items whose fields an expression holds of; _ is what is left', async () => {
  const { run, out } = shell(objects);
  const code = await run([here, 'const least = 60', "ls | where size_bytes > least && path.endsWith('png')", '_.length'].join('\n'));
  assert.equal(code, 0);
  assert.match(out(), /c\.png\n1\n$/);
  assert.doesNotMatch(out(), /a\.png|b\.txt/);
  const both = shell(objects);
  assert.equal(await both.run(`${here}\nls | where size_bytes > 60 | grep -c .`), 0);
  assert.match(both.out(), /2\n$/);
});

test('a pipeline that cannot work says why', async () => {
  const wrong: readonly [string, RegExp][] = [
    ['ls |', /nothing follows \|/],
    ['ls | where', /needs an expression/],
    ['ls | where size_bytes >', /where size_bytes >: /],
    ['ls | grep a | where path', /filters come before programs/],
  ];
  for (const [line, complaint] of wrong) {
    const { run, told } = shell(objects);
    assert.equal(await run(`${here}\n${line}`), 2, line);
    assert.match(told.join('\n'), complaint);
  }
});

test('console prints to the output of the script', async () => {
  const { run, out } = shell(objects);
  assert.equal(await run("console.log('one', { two: 2 })\nconsole.table([1])"), 0);
  assert.match(out(), /^one \{ two: 2 \}\n[\s\S]*\(index\)/);
});

test('$name finds what const and let made, and what the environment has', async () => {
  const { run, calls } = shell(objects);
  assert.equal(await run(`const name = 'dev'\nlet other = 'x'\nuse srv://repo/$name\nls $other/\nls $HOME_REPO/`), 0);
  const asked = calls.filter(([name]) => name === 'listObjects').map(([, input]) => input as { ref: string; prefix?: string });
  assert.deepEqual(
    asked.slice(1).map(({ ref, prefix }) => `${ref} ${prefix}`),
    ['dev x/', 'dev repo/'],
  );
});

test('exit, quit and \\q leave, with a code if one is given; a variable of that name is a variable', async () => {
  for (const [line, code] of [
    ['exit', 0],
    ['quit;', 0],
    ['\\q', 0],
    ['exit 3', 3],
  ] as const) {
    const { run, out } = shell(objects);
    assert.equal(await run(`1 + 1\n${line}\n2 + 2`), code);
    assert.equal(out(), '2\n');
  }
  const { run, out } = shell(objects);
  assert.equal(await run('const exit = 5\nexit'), 0);
  assert.equal(out(), '5\n');
});

test('reports an unknown word, with a suggestion', async () => {
  const cases: readonly [string, string][] = [
    ['brnch list', '"brnch" is neither a command nor a JavaScript variable; did you mean branch?'],
    ['commti -m "a message"', '"commti" is neither a command nor a JavaScript variable; did you mean commit?'],
    ['lss', '"lss" is neither a command nor a JavaScript variable; did you mean ls?'],
    ['xyzzy plugh', '"xyzzy" is neither a command nor a JavaScript variable; help lists the commands'],
  ];
  for (const [line, complaint] of cases) {
    const { run, told } = shell(objects);
    assert.equal(await run(line), 2, line);
    assert.match(told.join('\n'), new RegExp(complaint.replace(/[?.]/g, '\\$&')));
  }
  // What JavaScript has to say about JavaScript stays.
  const { run, told } = shell(objects);
  assert.equal(await run('const x = missing + 1'), 1);
  assert.match(told.join('\n'), /missing is not defined/);
});

test('help shows what the shell can do in addition to commands', async () => {
  const { run, out } = shell(objects);
  assert.equal(await run('help'), 0);
  for (const word of [/JavaScript/, /^ {2}_ /m, /\.exit/, /\| grep/, /\| where/]) assert.match(out(), word);
});

test('files of this machine complete where a command takes one', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'srv-complete-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'pictures'));
  writeFileSync(join(folder, 'picture.png'), '');
  writeFileSync(join(folder, '.hidden'), '');
  assert.deepEqual(await localPaths(`${folder}/`), [`${folder}/picture.png`, `${folder}/pictures/`]);
  assert.deepEqual(await localPaths(`${folder}/none/`), []);
  const { completer } = shell(objects);
  const [found] = (await completer.complete(`upload srv://repo/main/x -s ${folder}/picture.`)) ?? [];
  assert.deepEqual(found, [`${folder}/picture.png`]);
  const [destinations] = (await completer.complete(`download srv://repo/main/x ${folder}/pictures`)) ?? [];
  assert.deepEqual(destinations, [`${folder}/pictures/`]);
});

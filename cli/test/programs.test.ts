/** Programs: lines of the shell and statements of JavaScript, read whole. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { run as runProgram } from './programs.js';
import { shell } from './shell.js';
import type { Command } from '@srv/lib-commands';

const note: Command = {
  name: 'note',
  summary: 'Print the words',
  arguments: [{ name: 'word', description: 'any', variadic: true }],
  run: (_context, { args }) => {
    if (args[0] === 'fail') throw new Error('failed as asked');
    return args.join('|');
  },
  render: text => String(text),
};
const lines = () => shell({}, { added: [note, 'import'] });

test('a statement spans lines, lines of the shell stand in blocks, and see the variables there', async () => {
  const { run, out, told } = lines();
  const code = await run(
    [
      'try {',
      '  await missing("repo list");',
      '} catch (e) {',
      '  console.log(e.message)',
      '}',
      'const doubled = [1, 2]',
      '  .map(n => n * 2)',
      'for (const n of doubled) {',
      '  note $n "$' + '{n}!"',
      '  if (n > 2) {',
      "    note 'two",
      "lines'",
      '  }',
      '  else {',
      '    note small \\',
      '      one',
      '  }',
      '}',
      'async function twice(word) {',
      '  note $word',
      '}',
      "await twice('called')",
    ].join('\n'),
  );
  assert.equal(code, 0, told.join('\n'));
  assert.equal(out(), 'missing is not defined\n2|2!\nsmall|one\n4|4!\ntwo\nlines\ncalled\n');
});

test('a failure names the line and the column where it happened', async () => {
  const cases: readonly [text: string, at: string][] = [
    ['note a\n  note fail', '2:3'],
    ['const f = () => {\n  throw new Error("x")\n}\nf()', '2:9'],
    ['\nawait null; await (async () => { null.x })()', '2:39'],
    ['for (const a of [1]) {\n  await null\n  note fail\n}', '3:3'],
    ['if (true) {\n    missing()\n}', '2:5'],
    ["await run('note fail')", '1:7'],
    ["import x from './missing-file.mjs'", '1:1'],
    ['note $unset', '1:1'],
    ['const { a } = await {}, b =\n  a.b', '2:5'],
  ];
  for (const [text, at] of cases) {
    const { run, told } = lines();
    assert.notEqual(await run(text), 0, text);
    assert.equal(told.at(-1)?.replace(/: failed with exit code \d$/, ''), `script:${at}`, text);
  }
});

test('nothing runs of a program with a mistake, which is shown', async () => {
  const cases: readonly [text: string, told: string][] = [
    ['note a\nconst x = 1 +* 2', 'Error: script:2:14: Unexpected token\n  const x = 1 +* 2\n               ^'],
    ['note a\ntry {\n} catch e {}', 'Error: script:3:9: Unexpected token\n  } catch e {}\n          ^'],
    [
      'note a\nfunction f() {\n  note b\n}',
      'Error: script:3:3: a line of the shell takes time: it can only stand in an async function\n    note b\n    ^',
    ],
    ['const a = 1\nconst a = 2', "Error: script:2:7: Identifier 'a' has already been declared\n  const a = 2\n        ^"],
    ['note a\nexport const a = 1', 'Error: script:2:1: a program has nothing to export\n  export const a = 1\n  ^'],
    ['note a\nconst b = [', 'Error: script:2: the program is not complete: Unexpected token'],
  ];
  for (const [text, complaint] of cases) {
    const { run, out, told } = lines();
    assert.notEqual(await run(text), 0, text);
    assert.deepEqual([out(), told], ['', [complaint]], text);
  }
});

test('functions are known before their declaration, and a private name does not begin a comment', async () => {
  const { run, out, told } = lines();
  const text = 'console.log(later(new A()))\nfunction later(a) { return a.x }\n#comment\nclass B {\n  #x = 1;\n  #y = 2\n}';
  assert.equal(await run(`class A { x = 5 }\n${text}`), 0, told.join());
  assert.equal(out(), '5\n');
});

test('import is JavaScript where it looks like that, and the command elsewhere', async () => {
  const { session } = lines();
  for (const line of [
    "import { x } from 'y'",
    "import x from 'y'",
    "import * as x from 'y'",
    "import x, { y } from 'z'",
    "import 'x'",
    'import("x")',
  ])
    assert.ok(!session.isCommand(line), line);
  for (const line of ['import --from s3://x --to srv://y', 'import -h', 'import srv://x']) assert.ok(session.isCommand(line), line);
});

test('modules next to a script are found by import, dynamic import and require, from any folder', async () => {
  const folder = scratchFolder();
  mkdirSync(join(folder, 'node_modules', 'pack'), { recursive: true });
  writeFileSync(join(folder, 'node_modules', 'pack', 'package.json'), '{"name":"pack","main":"index.js"}');
  writeFileSync(join(folder, 'node_modules', 'pack', 'index.js'), "exports.name = 'pack'");
  writeFileSync(join(folder, 'one.mjs'), "export const one = 1; export default 'the default'");
  writeFileSync(join(folder, 'two.cjs'), 'module.exports = 2');
  writeFileSync(join(folder, 'data.json'), '{"three":3}');
  const script = join(folder, 'script.srv');
  writeFileSync(
    script,
    [
      '#!/usr/bin/env -S cli run',
      "import standard, { one as first } from './one.mjs'",
      "import * as all from './one.mjs'",
      "import { readFileSync } from 'node:fs'",
      "import { name } from 'pack'",
      "const { one } = await import('./one.mjs')",
      "console.log(standard, first, Object.keys(all).join(), one, require('./two.cjs'), require('./data.json').three, name, typeof readFileSync)",
      "await import('./one.mjs').then(({ two }) => console.log(two))",
      "import { two } from './one.mjs'",
    ].join('\n'),
  );
  const ended = await runProgram('cli', ['run', script], folder);
  assert.deepEqual([ended.code, ended.stdout], [1, 'the default 1 default,one 1 2 3 pack function\nundefined\n'], ended.stderr);
  assert.match(ended.stderr, /does not provide an export named 'two'[\s\S]*script\.srv:9:1: failed with exit code 1\n$/);
});

test('the same program runs from a file, from standard input and from --eval', async () => {
  const folder = scratchFolder();
  const text =
    "let n = 0\nfor (const x of [1, 2]) {\n  await null\n  n += x\n}\nif (n === 3) {\n  console.log('three')\n}\nelse {\n  console.log('no')\n}\nn";
  writeFileSync(join(folder, 'script.srv'), text);
  const options = { input: text };
  const ended = await Promise.all([
    runProgram('cli', ['run', 'script.srv'], folder),
    runProgram('cli', ['run', '-'], folder, options),
    runProgram('cli', ['repl'], folder, options),
    runProgram('cli', ['run', ...text.split('\n').flatMap(line => ['-e', line])], folder),
  ]);
  // Values of expressions are printed for lines of the command line, as for lines that are typed.
  assert.deepEqual(
    ended.map(({ code, stdout, stderr }) => [code, stdout, stderr]),
    ['three\n', 'three\n', 'three\n', 'three\n3\n'].map(stdout => [0, stdout, '']),
  );
});

test('an error of a timer, and a promise that never settles, end the statement that runs', async () => {
  const folder = scratchFolder();
  const late = await runProgram(
    'cli',
    ['run', '-e', "void setTimeout(() => { throw new Error('late') }, 5)", '-e', 'await new Promise(() => {})', '-e', '1'],
    folder,
  );
  assert.deepEqual([late.code, late.stdout], [1, '']);
  assert.match(late.stderr, /^late\n[\s\S]*--eval:1:/);
  const never = await runProgram('cli', ['run', '-k', '-e', 'await new Promise(() => {})', '-e', "console.log('next')"], folder);
  assert.deepEqual([never.code, never.stdout], [1, 'next\n']);
  assert.match(never.stderr, /^what the line waits for never comes/);
});

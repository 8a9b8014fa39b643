/** How values of JavaScript reach lines, and how the typed client answers mistakes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shell } from './shell.js';
import type { Command } from '@srv/lib-commands';

const note: Command = {
  name: 'note',
  summary: 'Print the words',
  arguments: [{ name: 'word', description: 'any', variadic: true }],
  run: (_context, { args }) => [...args],
  render: words => JSON.stringify(words),
};
const lines = (answers = {}) => shell(answers, { added: [note] });

/** @returns what each line printed, as JSON. */
async function printed(...script: readonly string[]): Promise<readonly unknown[]> {
  const { run, out, told } = lines();
  assert.equal(await run(script.join('\n')), 0, told.join('\n'));
  return out()
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as unknown);
}

const hostile = `a "b" 'c' $d | e; f \\ # g`;

test('each value of a template is one word or a part of one, whatever is in it', async () => {
  const value = JSON.stringify(hostile);
  const cases: readonly [template: string, words: readonly string[]][] = [
    ['note ${value} x', [hostile, 'x']],
    ['note a=${value}/${1}', [`a=${hostile}/1`]],
    ['note \'quoted ${value}\' "${value}"', [`quoted ${hostile}`, hostile]],
    ['note ${[value, 2]} ${true}', [hostile, '2', 'true']],
    ['note ${[]} end', ['end']],
  ];
  for (const [template, words] of cases)
    assert.deepEqual(await printed(`const value = ${value}`, `console.log(JSON.stringify(await run\`${template}\`))`), [words], template);
});

test('run takes a list of words', async () => {
  assert.deepEqual(await printed(`console.log(JSON.stringify(await run(['note', ${JSON.stringify(hostile)}, 3])))`), [[hostile, '3']]);
});

test('values in programs and filters are quoted, too', async () => {
  const { run, out, told } = lines();
  const script = [
    `const value = ${JSON.stringify(hostile)}`,
    'console.log(await run`!printf %s ${value}`)',
    'console.log(await run`note x | cat - | sed s/x/y/`)',
    'console.log(JSON.stringify(await run`note ${value} two | where item === ${value}`))',
  ];
  assert.equal(await run(script.join('\n')), 0, told.join('\n'));
  assert.deepEqual(out().split('\n'), [hostile, '["y"]', JSON.stringify([hostile]), '']);
});

test('a value that is not a text or a number is an error that names it', async () => {
  const cases: readonly [call: string, complaint: RegExp][] = [
    ['run`note ${undefined}`', /value 1 of the line is undefined: give a text or a number/],
    ['run`note ${1} ${{}}`', /value 2 of the line is object/],
    ["run(['note', null])", /word 2 of the line is null/],
    ['run(5)', /run takes a line, a list of words, or a template/],
    ['run`note x | grep "${1}"`', /value 1 stands in a program with quotes of its own/],
  ];
  for (const [call, complaint] of cases) {
    const { run, told } = lines();
    assert.equal(await run(`await ${call}`), 2, call);
    assert.match(told.join('\n'), complaint);
  }
});

test('$name sees let, const, parameters and variables of loops, in lines, in run and in programs', async () => {
  const out = await printed(
    "const a = 'one'",
    'let b = 2',
    'for (const c of [3, 4]) {',
    '  note $a $b $c',
    "  console.log(JSON.stringify(await run('note $c')))",
    '  !echo \\"$a $c\\"',
    '}',
    'async function f(d) {',
    '  note $d',
    '}',
    "await f('parameter')",
  );
  assert.deepEqual(out, [['one', '2', '3'], ['3'], 'one 3', ['one', '2', '4'], ['4'], 'one 4', ['parameter']]);
});

test('exit takes a variable', async () => {
  assert.equal(await lines().run('const n = 7\nexit $n\nnote x'), 7);
  assert.equal(await lines().run('for (const n of [8]) {\n  exit $n\n}\nnote x'), 8);
  const { run, told } = lines();
  assert.equal(await run("const n = 'x'\nexit $n"), 2);
  assert.match(told.join(), /exit: "x" is not a number from 0 to 255/);
});

test('help of an operation shows what it takes, and an example that is a call', async () => {
  const { run, out } = lines();
  assert.equal(await run('help createBranch'), 0);
  assert.match(
    out(),
    /^createBranch: [\s\S]*^repository +string$[\s\S]*^ {2}name +string$[\s\S]*^ {2}force +boolean +optional, default false$/m,
  );
  assert.match(
    out(),
    /^Example: await client\(\)\.createBranch\(\{ repository: 'example-repo', body: \{ name: 'a-name', source: 'main' \} \}\)$/m,
  );
});

test('a wrong call of the client names the member and its shape', async () => {
  const refused = () => Promise.reject(Object.assign(new Error('argument body.name: is required'), { status: 400 }));
  const cases: readonly [call: string, complaint: RegExp][] = [
    [
      "createBranch({ repository: 'r' })",
      /createBranch: body is missing: \{ name: string, source: string, force\?: boolean, hidden\?: boolean \}/,
    ],
    ["createBranch({ repository: 'r', body: { nam: 1 } })", /createBranch: body\.name is missing: string/],
    ["createBranch({ repository: 'r', body: { name: 'x', source: [1] } })", /createBranch: body\.source is array: give string/],
    [
      "createBranch({ repository: 'r', body: { name: 'x', source: 'y', forc: 1 } })",
      /body\.forc is unknown: it takes name, source, force, hidden/,
    ],
    ["createBranch({ repositry: 'r' })", /createBranch does not take repositry; did you mean repository\?/],
    ["listBranches({ prefx: 'r' })", /listBranches does not take prefx; did you mean prefix\?/],
  ];
  for (const [call, complaint] of cases) {
    const { run, told } = lines({ createBranch: refused, listBranches: refused });
    assert.equal(await run(`await client().${call}`), 2, call);
    assert.match(told.join('\n'), complaint);
  }
});

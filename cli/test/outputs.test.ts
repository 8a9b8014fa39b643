/** Where the output of a line goes, when its reader leaves, fails or does not exist. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { page } from './fake-context.js';
import { run as runProgram } from './programs.js';
import { shell } from './shell.js';
import type { Command } from '@srv/lib-commands';

const rows = 5000;
const text = 'some text\n'.repeat(rows);
const commands: readonly Command[] = [
  {
    name: 'items',
    summary: 'A list that comes bit by bit',
    run: async function* () {
      for (let i = 0; i < rows; i++) yield { path: `some/longer/path/number-${i}` };
    },
    render: item => (item as { path: string }).path,
  },
  { name: 'words', summary: 'A text', run: () => text, render: String },
  {
    name: 'content',
    summary: 'Bytes',
    run: async () => (await import('node:stream')).Readable.from(Array.from({ length: rows }, () => Buffer.from('some bytes\n'))),
  },
  {
    name: 'take',
    summary: 'Reads standard input',
    readsInput: true,
    arguments: [{ name: 'word', description: 'any', variadic: true }],
    run: async ({ input }) => {
      let read = '';
      for await (const chunk of input) read += chunk.toString();
      return read;
    },
    render: read => `<${String(read).trim()}>`,
  },
];
const lines = () =>
  shell({ listRepositories: page([]) }, { added: commands, env: { PATH: process.env.PATH ?? '', GREETING: 'from outside' } });

for (const command of ['items', 'words', 'content']) {
  const readers: readonly [reader: string, code: number][] = [
    ['cat > /dev/null', 0],
    ['head -n 1', 0],
    ['true', 0],
    ['false', 1],
    ['exec 0<&-; sleep 0.05; exit 4', 4],
    ['a-program-that-does-not-exist', 127],
    ['head -c 3 > /dev/null; exit 2', 2],
  ];
  test(`${command}: the next line runs whatever the program after the bar does`, async () => {
    for (const [reader, code] of readers) {
      const { run, out } = lines();
      assert.equal(await run(`${command} | ${reader}\nwords | wc -l`, { keepGoing: true }), code, reader);
      assert.match(out(), new RegExp(`(?:^|\\n)\\s*${rows}\\n$`), reader);
    }
  });
}

test('a script whose output is no longer read, or cannot be written, runs to its end', async () => {
  const folder = scratchFolder();
  const script = ['for (let i = 0; i < 3000; i++) console.log("a longer line of output", i)', 'help', '!touch reached'];
  const sh = (line: string) =>
    runProgram('cli', ['run', '-e', `!${line}`], folder, { env: { PATH: process.env.PATH ?? '', NODE: process.execPath } });
  const cli = `"$NODE" ${join(import.meta.dirname, '..', '..', 'bin', 'cli.js')} run ${script.map(line => `-e '${line}'`).join(' ')}`;
  const left = await sh(`${cli} | head -c 10 > first; test -e reached`);
  assert.deepEqual([left.code, left.stderr], [0, '']);
  assert.equal(readFileSync(join(folder, 'first'), 'utf8'), 'a longer l');
  if (!existsSync('/dev/full')) return;
  const full = await sh(`rm reached; ${cli} > /dev/full; code=$?; test -e reached && exit $code`);
  assert.equal(full.code, 1);
  assert.match(full.stderr, /^standard output cannot be written: ENOSPC/);
});

test('srv ends quietly when the reader of its output has left', async () => {
  const folder = scratchFolder();
  const node = `"$NODE" ${join(import.meta.dirname, '..', '..', 'bin', 'srv.js')}`;
  const env = { PATH: process.env.PATH ?? '', NODE: process.execPath };
  const dump = await runProgram(
    'cli',
    ['run', '-e', `!${node} setup --local-settings --user-name ann > /dev/null; ${node} kv dump --local-settings --all-partitions | true`],
    folder,
    { env },
  );
  assert.deepEqual([dump.code, dump.stderr, dump.stdout], [0, '', ''], dump.stderr);
});

test('a program may come first, and its output end in a command', async () => {
  const cases: readonly [line: string, out: string][] = [
    ['!echo one', 'one\n'],
    ['!echo "$GREETING $name $1" | tr a-z A-Z', 'FROM OUTSIDE A NAME FIRST\n'],
    ['!echo x | take', '<x>\n'],
    ['echo one two | tr t T | take', '<one Two>\n'],
    ['printf %s "$name" | take | sed s/a/b/', '<b name>\n'],
    ['items | where path.endsWith("7") | head -n 2 | take', '<some/longer/path/number-7\nsome/longer/path/number-17>\n'],
    ['words | head -n 1 | take | take', '<<some text>>\n'],
    ["const t = await run('!echo captured')\nt", 'captured\n'],
    ["const t = await run('echo captured | take')\nt", 'captured\n\n'],
  ];
  for (const [line, expected] of cases) {
    const { run, out, told } = lines();
    assert.equal(await run(`const name = 'a name'\n${line}`, { args: ['first'] }), 0, `${line}: ${told.join()}`);
    assert.equal(out(), expected, line);
  }
});

test('a command does not take what a program printed that failed', async () => {
  for (const source of ['!echo half; exit 3', 'a-program-that-does-not-exist now']) {
    const { run, out } = lines();
    assert.equal(await run(`${source} | take`), source.startsWith('!') ? 3 : 127);
    assert.equal(out(), '');
  }
});

/** Help, tables and JSON as people read them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildProgram } from '@srv/engine/shell';
import { describeTerminal, table } from '@srv/lib-commands';
import { builtInCommands } from '../src/commands/index.js';
import { page } from './fake-context.js';
import { shell } from './shell.js';

/** @returns what the parser prints. */
function help(...words: readonly string[]): string {
  let printed = '';
  const hidden = { name: 'dig deep', summary: 'Digs deep', hidden: true, run: () => '' };
  const commands = [...builtInCommands, hidden].map(command => ({ command, plugin: 'x' }));
  const program = buildProgram({ commands, run: () => {}, showVersion: () => {}, write: text => (printed += text) });
  assert.throws(() => program.parse([...words, '--help'], { from: 'user' }));
  return printed;
}

test('a group of hidden commands is hidden, and lists them to those who know its name', () => {
  assert.doesNotMatch(help(), /^ {2}dig/m);
  assert.match(help('dig'), /^ {2}deep +Digs deep$/m);
});

test('help in the shell shows lines as they are typed there', async () => {
  const { run, out } = shell({});
  assert.equal(await run('help ls\nhelp branch create'), 0);
  assert.match(out(), /^Usage: ls \[path URI\] \[options\]$[\s\S]*^Usage: branch create <branch URI> \[options\]$/m);
  assert.match(out(), /^ {2}branch create srv:\/\/example-repo\/new-branch -s/m);
});

test('a table fits the screen: its widest columns wrap, and nothing is lost', () => {
  const rows = [
    ['one', 'x'.repeat(150), 'short'],
    ['two', 'y'.repeat(20), 'z'.repeat(90)],
  ];
  for (const columns of [60, 80, 120]) {
    const lines = table(['Name', 'Long', 'Other'], rows, { interactive: true, columns }).split('\n');
    assert.ok(
      lines.every(line => line.length <= columns),
      `${columns}: ${Math.max(...lines.map(line => line.length))}`,
    );
    const text = lines.join('');
    assert.deepEqual(
      ['x', 'z'].map(letter => text.split(letter).length - 1),
      [150, 90],
    );
  }
  const wide = table(['Name', 'Long', 'Other'], rows, { interactive: true, columns: 400 });
  assert.equal(wide, table(['Name', 'Long', 'Other'], rows, { interactive: true }));
  assert.equal(table(['Name'], [['a'.repeat(200)]], { interactive: false, columns: 40 }), 'a'.repeat(200));
});

test('JSON is indented at a terminal, and one line per command elsewhere', async () => {
  const objects = {
    listObjects: page([{ path: 'a', path_type: 'object', mtime: 1 }]),
    getRepository: {},
    listBranches: page([{ id: 'main', commit_id: 'c' }]),
  };
  const lines = 'ls srv://repo/main/ -o json\nbranch list srv://repo -o json';
  const plain = shell(objects);
  assert.equal(await plain.run(lines), 0);
  assert.equal(plain.out(), '[{"path":"a","path_type":"object","mtime":1}]\n[{"id":"main","commit_id":"c"}]\n');
  const { session } = plain;
  const terminal = describeTerminal({ env: {}, stdoutIsTerminal: true, stdinIsTerminal: true, noColor: true });
  Object.assign(session.context, { terminal });
  assert.equal(await plain.run(lines), 0);
  assert.ok(
    plain
      .out()
      .endsWith(
        '[\n  {\n    "path": "a",\n    "path_type": "object",\n    "mtime": 1\n  }\n]\n[\n  {\n    "id": "main",\n    "commit_id": "c"\n  }\n]\n',
      ),
    plain.out(),
  );
});

test('a script does not print the values of its expressions', async () => {
  const { session, output, out } = shell({});
  const { runBatch } = await import('../src/shell/batch.js');
  assert.equal(
    await runBatch('1 + 1\nconsole.log(3)', 'script', { session, output, args: [], names: {}, keepGoing: false, json: false }),
    0,
  );
  assert.equal(out(), '3\n');
});

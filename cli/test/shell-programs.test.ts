/** Programs `cli-<name>` on PATH as lines of the shell. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { needsProgram, scratchFolder } from '@srv/kernel/testing';
import { packageFolder } from './fixture.js';
import { run } from './programs.js';
import { shell } from './shell.js';

const scratch = scratchFolder();
// A hook of the file can run while its last test does.
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const bin = join(scratch, 'bin');
mkdirSync(bin);
const path = `${bin}:${process.env.PATH ?? ''}`;
for (const [name, body] of Object.entries({
  greet: 'echo "hello $*"; echo "aside" >&2; exit $((CODE + 0))',
  where: 'echo "$CLI_BASE_URI"',
  echo_stdin: 'cat',
  await_input: 'echo listening; exec cat',
  // Once it prints, the shell has lent the terminal: Ctrl-C is for the program alone.
  stay: 'sleep 0.2; echo waiting; exec sleep 600',
  // As on a busy machine, where the shell knows of Ctrl-C after the program has ended of it.
  late: '(sleep 0.1; kill -INT $PPID) & kill -INT $$',
  // Built-in commands win.
  log: 'echo never',
  ls: 'echo never',
}))
  writeFileSync(join(bin, `cli-${name}`), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
const env = { PATH: path };

test('a program is a line: its words, its output, its exit code', async () => {
  const { run: runLines, out, told } = shell({}, { env });
  assert.equal(
    await runLines(`greet 'two words' $1 # aside\nconst word = await run('greet again')\nword.toUpperCase()`, { args: ['x'] }),
    0,
  );
  assert.equal(out(), 'hello two words x\nHELLO AGAIN\n');
  const failing = shell({}, { env: { ...env, CODE: '7' } });
  assert.equal(await failing.run('greet\npwd'), 7);
  assert.deepEqual(failing.told, ['script:1:1: failed with exit code 7']);
  assert.equal(await failing.run(`await run('greet')`), 7);
  assert.deepEqual(told, []);
});

test('Node.js warns of nothing when there are many at a time', async () => {
  const script = join(scratch, 'many.srv');
  writeFileSync(
    script,
    "const each = async i => console.log(await run(i % 2 ? '!echo hello sh' : 'greet all'))\nawait parallel([...Array(30).keys()], each, { limit: 30 })\n",
  );
  for (const more of [[], ['--transcript', join(scratch, 'of-many')]]) {
    const { code, stdout, stderr } = await run('cli', ['run', script, ...more], scratch, { env });
    assert.deepEqual([code, stdout.match(/^hello (sh|all)$/gm)?.length, stderr], [0, 30, 'aside\n'.repeat(15)]);
  }
});

test('it is where the shell is', async () => {
  const { run: runLines, out } = shell({ listObjects: { results: [{ path: 'images/x' }], pagination: { has_more: false } } }, { env });
  assert.equal(await runLines('where\nuse srv://repo\nwhere\nuse main\nwhere\ncd images\nwhere'), 0);
  assert.equal(out(), '\nsrv://repo/\nsrv://repo/main/\nsrv://repo/main/images/\n');
});

test('commands win over programs, and JavaScript over both where it looks like that', async () => {
  const { session } = shell({}, { env });
  assert.equal(session.programs.find('log'), undefined);
  assert.equal(session.programs.find('ls'), undefined);
  assert.ok(session.isCommand('greet ann'));
  for (const line of ['greet = 1', 'greet(1)', 'greet.x', 'unknown ann', '../greet']) assert.ok(!session.isCommand(line), line);
});

test('a dry run names it and does not run it', async () => {
  const { run: runLines, out } = shell({}, { env, dryRun: true });
  assert.equal(await runLines('greet ann'), 0);
  assert.equal(out(), 'would run: greet ann\n');
});

test('an interrupt ends the program and not the shell', { skip: needsProgram('sleep') }, async () => {
  const { session, run: runLines, told, out } = shell({}, { env });
  const ended = runLines('stay\ngreet', { keepGoing: true });
  while (!out().includes('waiting')) await sleep(10);
  assert.ok(session.interrupt());
  assert.equal(await ended, 1);
  assert.match(told[0] ?? '', /^interrupted\n/);
  assert.match(out(), /hello/);
});

test('names of programs are completed, their arguments are not', async () => {
  const { completer } = shell({}, { env });
  assert.deepEqual(await completer.complete('gre'), [['greet'], 'gre']);
  assert.deepEqual(await completer.complete('anno'), [['annotate'], 'anno']);
  assert.deepEqual(await completer.complete('greet srv'), [[], 'srv']);
});

test('cli run passes standard input on, and a transcript has what programs print', { skip: needsProgram('cat') }, async () => {
  const record = join(scratch, 'transcript');
  const script = join(scratch, 'script.srv');
  writeFileSync(script, 'echo_stdin\ngreet ann\n');
  const ended = await run('cli', ['run', script], scratch, { env, input: 'from outside\n' });
  assert.deepEqual(ended, { code: 0, stdout: 'from outside\nhello ann\n', stderr: 'aside\n' });
  const recorded = await run('cli', ['run', script, '--transcript', record], scratch, { env: { ...env, CODE: '3' }, input: 'x\n' });
  assert.deepEqual([recorded.code, recorded.stdout], [3, 'x\nhello ann\n']);
  const text = readFileSync(record, 'utf8');
  assert.deepEqual(
    text.trimEnd().split('\n').sort(),
    ['> echo_stdin', 'x', '> greet ann', 'hello ann', 'aside', `${script}:2:1: failed with exit code 3`].sort(),
  );
});

const tmux = promisify(execFile);
const hasTmux = await tmux('tmux', ['-V']).then(
  () => true,
  () => false,
);

test('at a terminal Ctrl-C ends the program, and the shell continues', { skip: hasTmux ? false : 'needs tmux' }, async t => {
  const socket = join(scratch, 'tmux');
  const call = async (...args: string[]): Promise<string> =>
    (await tmux('tmux', ['-S', socket, ...args], { env: { ...process.env, TMUX: '' } })).stdout;
  const words = ['env', `PATH=${path}`, `HOME=${scratch}`, process.execPath, join(packageFolder, 'bin', 'cli.js'), 'repl'];
  await call('new-session', '-d', '-x', '100', '-y', '30', ...words);
  t.after(() => call('kill-server').catch(() => ''));
  let last = '';
  const screen = async (): Promise<string> => {
    last = await call('capture-pane', '-p').catch(error => {
      throw new Error(`the terminal is gone; it showed:\n${last}`, { cause: error });
    });
    return last;
  };
  const until = async (wanted: RegExp): Promise<void> => {
    const deadline = Date.now() + 60_000;
    while (!wanted.test(await screen())) {
      assert.ok(Date.now() < deadline, `${wanted} does not appear:\n${await screen()}`);
      await sleep(50);
    }
  };
  const type = (text: string): Promise<string> => call('send-keys', text, 'Enter');
  await until(/^cli>$/m);
  await type('stay');
  await until(/^waiting$/m);
  await call('send-keys', 'C-c');
  await until(/^cli>$/m);
  await type('greet ann');
  await until(/^hello ann$/m);
  await type('await_input');
  // What is typed before belongs to the shell.
  await until(/^listening$/m);
  await type('typed into it');
  await until(/typed into it\n.*typed into it/);
  await call('send-keys', 'C-d');
  await type('1 + 41');
  await until(/^42$/m);
  // Lines that arrive together wait for each other.
  await call('send-keys', 'stay', 'Enter', 'greet bob', 'Enter');
  await until(/^waiting$[\s\S]*^waiting$/m);
  await sleep(100);
  assert.doesNotMatch(await screen(), /hello bob/);
  await call('send-keys', 'C-c');
  await until(/hello bob$/m);
  for (const [line, number] of [
    ['late', 37],
    ['!exec cli-late', 74],
  ] as const) {
    await call('send-keys', line, 'Enter', `await new Promise(resolve => setTimeout(resolve, 600, 9 * ${number}))`, 'Enter');
    await until(new RegExp(`^${9 * number}$`, 'm'));
  }
  await type('.exit');
});

/** `srv repl` at a server that runs. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { packageFolder } from './fixture.js';
import { run, startServer } from './programs.js';
import { Terminal, noTerminal } from './terminal.js';
import type { Ended, RunningServer } from './programs.js';

describe('srv repl at a running server', () => {
  let server: RunningServer;
  const repl = (...lines: readonly string[]): Promise<Ended> =>
    run('srv', ['repl', '--local-settings', '-k', ...lines.flatMap(line => ['-e', line])], server.home);

  before(async () => {
    server = await startServer();
  });
  after(() => server?.remove());

  test('commands and services are those of the server, as an administrator', async () => {
    const { code, stdout, stderr } = await repl(
      'repo create srv://zoo local://zoo -o name',
      'identity',
      "services.get('http').address().url",
      '2 ** 5',
    );
    assert.deepEqual([code, stderr], [0, 'attached to the running server\n']);
    assert.match(stdout, /^zoo\nUser ID: +admin\n/);
    assert.ok(stdout.includes(`${server.url}\n32\n`), stdout);
  });

  test('its socket is for its owner alone', () => {
    assert.equal(statSync(join(server.home, 'srv', 'metadata.repl')).mode & 0o777, 0o600);
  });

  test('config, hooks and help are readable', async () => {
    const { stdout } = await repl('config', 'hooks.event', 'help');
    assert.match(stdout, /'database\.type': 'local'/);
    assert.match(stdout, /'auth\.encrypt\.secret_key': '\*+'|'auth\.encrypt\.secret_key': .*(?:masked|\*)/);
    assert.match(stdout, /'pre-commit: actions'/);
    for (const word of [/^ {2}kernel /m, /^ {2}config /m, /^ {2}services/m, /^ {2}hooks /m, /^ {2}untap/m]) assert.match(stdout, word);
  });

  test('hooks are tapped while the server works, and untapped', async () => {
    const commit = 'commit srv://zoo/main --allow-empty-commit -m x';
    const wait = 'await new Promise(done => setTimeout(done, 300))';
    const tapped = await repl(
      "hooks.event.for('post-commit').tap('me', ({ branch }) => console.log('seen ' + branch))",
      commit,
      wait,
      "untap('me')",
      commit,
      wait,
    );
    assert.equal(tapped.stdout.match(/^seen main$/gm)?.length, 1, tapped.stdout);
    assert.match(tapped.stdout, /^1$/m);
  });

  test('failures of lines, even late ones, are reported and leave the server running', async () => {
    const { code, stderr } = await repl(
      "throw new Error('at once')",
      "void setTimeout(() => { throw new Error('late') }, 10); await new Promise(done => setTimeout(done, 100))",
      "void Promise.reject(new Error('rejected')); await new Promise(done => setTimeout(done, 100))",
      'branch show srv://zoo/nowhere',
    );
    assert.equal(code, 1);
    for (const words of [/^at once$/m, /^late$/m, /^rejected$/m, /404 Not Found/]) assert.match(stderr, words);
    assert.equal((await fetch(`${server.url}/_health`)).status, 200);
  });

  test('lines are typed at a terminal, and Ctrl-C ends one', { skip: noTerminal }, async t => {
    const terminal = await Terminal.open(
      server.home,
      [process.execPath, join(packageFolder, 'bin', 'srv.js'), 'repl', '--local-settings'],
      { HOME: server.home },
    );
    t.after(() => terminal.close());
    await terminal.until(/^srv> *$/m);
    await terminal.type('use srv://zoo/main');
    await terminal.until(/^zoo\/main> *$/m);
    await terminal.type('for (const x of [1, 2]) {');
    await terminal.type("  console.log('n', x) }");
    await terminal.until(/^n 1$\s+^n 2$/m);
    await terminal.paste(
      ['await new Promise(done => setTimeout(done, 200))', 'for (const x of [3, 4])', "  console.log('n', x)", "'last'", ''].join('\r'),
      { marked: false },
    );
    await terminal.until(/^n 3$\s+^n 4$[\s\S]*^'last'$/m);
    await terminal.type('await new Promise(() => {})');
    await terminal.press('C-c');
    await terminal.until(/interrupted/);
    await terminal.type("'still ' + 'here'");
    await terminal.until(/'still here'/);
    await terminal.type('exit');
  });
});

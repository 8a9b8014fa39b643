/** The commands of `local` at a terminal: prompts, progress, colours, Ctrl-C. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { programFile, run, startServer } from '@srv/test-servers/programs';
import { Terminal, noTerminal } from '@srv/test-servers/terminal';
import { startKillingProxy } from './killing-proxy.js';
import { edit, onDisk } from './model-server.js';
import type { RunningServer } from '@srv/test-servers/programs';
import type { KillingProxy } from './killing-proxy.js';

const names = Array.from({ length: 6 }, (_, i) => `file-${i}`);
const contents = (version: string): Record<string, string> => Object.fromEntries(names.map(name => [name, `${version} of ${name}`]));

describe('local at a terminal', { skip: noTerminal }, () => {
  let server: RunningServer;
  let proxy: KillingProxy;
  let terminal: Terminal;
  const work = scratchFolder();
  const folder = join(work, 'd');

  /** Runs `cli` without a terminal, directly at the server. */
  async function cli(...args: string[]) {
    return run('cli', args, server.home, { cwd: work, env: { CLI_CONFIG_FILE: join(server.home, 'srv', 'cli.yaml') } });
  }

  async function ok(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await cli(...args);
    assert.equal(code, 0, `cli ${args.join(' ')}\n${stdout}${stderr}`);
    return stdout;
  }

  /** Commits a version of all files. */
  async function publish(version: string): Promise<void> {
    const source = join(work, version);
    edit(source, contents(version));
    await ok('fs', 'upload', '-r', 'srv://lakes/main/data/', '-s', source);
    await ok('commit', 'srv://lakes/main', '-m', version);
  }

  /** Types a command whose download number four hangs, and Ctrl-C once that shows. @returns the screen afterwards. */
  async function interrupt(command: string, shown: RegExp): Promise<string> {
    await terminal.clear();
    const hangs = new Promise<void>(resolve => {
      proxy.aim({ request: /^GET \/api\/v1\/repositories\/lakes\/refs\/[^/]+\/objects$/, number: 4, when: 'before' }, resolve);
    });
    await terminal.type(`${command}; echo "code: $?"`);
    await terminal.until(shown);
    await hangs;
    await terminal.press('C-c');
    return terminal.until(/^code: \d+$/m);
  }

  /** What `local status` says is left to do: compared with what is there. */
  async function expectTruth(operation: string, wanted: Readonly<Record<string, string>>, change: string): Promise<void> {
    const { code, stdout, stderr } = await cli('local', 'status', 'd', '-o', 'json');
    assert.equal(code, 0, stderr);
    const { results, interrupted } = JSON.parse(stdout) as { results: { path: string }[]; interrupted: string };
    assert.match(interrupted, new RegExp(`^Latest ${operation} operation was interrupted`));
    const there = onDisk(folder);
    const missing = names.filter(name => there[name] !== wanted[name]);
    assert.ok(missing.length > 0 && missing.length < names.length, `${missing.length} files are missing`);
    assert.deepEqual(
      results,
      missing.map(path => ({ path, source: 'remote', change })),
    );
  }

  before(async () => {
    server = await startServer();
    proxy = await startKillingProxy(server.url);
    await ok('repo', 'create', 'srv://lakes', 'local://lakes');
    await publish('first');
    const bin = join(work, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'cli'), `#!/bin/sh\nexec '${process.execPath}' '${programFile('cli')}' "$@"\n`, {
      mode: 0o755,
    });
    terminal = await Terminal.open(work, ['sh'], {
      PATH: `${bin}:${process.env.PATH ?? ''}`,
      HOME: server.home,
      PS1: '$ ',
      CLI_CONFIG_FILE: join(server.home, 'srv', 'cli.yaml'),
      CLI_OPTIONS_PARALLELISM: '1',
    });
    // The file wins over variables.
    await terminal.type(`sed 's#endpoint_url: .*#endpoint_url: ${proxy.url}#' "$CLI_CONFIG_FILE" > through-proxy.yaml`);
    await terminal.type('export CLI_CONFIG_FILE=$PWD/through-proxy.yaml');
  });
  after(async () => {
    await terminal.close();
    await proxy.close();
    await server.remove();
  });

  test('a clone shows how far it is; after Ctrl-C, status shows what is missing, and the same command downloads it', async () => {
    const clone = 'cli local clone srv://lakes/main/data/ d';
    const screen = await interrupt(clone, /Cloning \[[^\]]*\] \d+% 3\/\d files/);
    assert.match(screen, /^Latest clone operation was interrupted, local data may be incomplete\.$/m);
    assert.match(screen, /^interrupted\nError executing command\.\ncode: 1$/m);
    assert.doesNotMatch(screen, /Cloning \[/, 'the bar is gone');
    await expectTruth('clone', contents('first'), 'added');
    await terminal.clear();
    await terminal.type(clone);
    await terminal.until(/^Downloaded: 3$/m);
    assert.deepEqual(onDisk(folder), contents('first'));
    assert.match(await ok('local', 'status', 'd'), /^No diff found\.$/m);
  });

  test('a pull that was interrupted can be undone, after asking', async () => {
    await publish('second');
    const screen = await interrupt('cli local pull d', /Pulling \[[^\]]*\] \d+% 3\/\d files/);
    assert.match(screen, /^interrupted\nError executing command\.\ncode: 1$/m);
    await expectTruth('pull', contents('second'), 'modified');

    await terminal.clear();
    await terminal.type('cli local checkout d; echo "code: $?"');
    await terminal.until(/differs from its last sync in 3 files; .* Proceed.*\(y\/N\)/s);
    await terminal.type('n');
    await terminal.until(/Checkout aborted\nError executing command\.\ncode: 1$/m);
    await expectTruth('pull', contents('second'), 'modified');

    await terminal.clear();
    await terminal.type('cli local checkout d; echo "code: $?"');
    await terminal.until(/\(y\/N\)/);
    await terminal.type('y');
    await terminal.until(/^Downloaded: 3\n.*code: 0$/ms);
    assert.deepEqual(onDisk(folder), contents('first'));
  });

  test('Ctrl-C at a question changes nothing', async () => {
    edit(folder, { 'file-0': 'mine' });
    await terminal.clear();
    await terminal.type('cli local checkout d; echo "code: $?"');
    await terminal.until(/\(y\/N\)/);
    await terminal.press('C-c');
    await terminal.until(/Checkout aborted\nError executing command\.\ncode: 1$/m);
    assert.equal(onDisk(folder)['file-0'], 'mine');
  });

  test('changes have their colours, unless none are wanted', async () => {
    edit(folder, { 'file-0': 'mine', 'file-1': undefined, new: 'new' });
    for (const [option, coloured] of [
      ['', true],
      [' --no-color', false],
    ] as const) {
      await terminal.clear();
      await terminal.type(`cli local status -l d${option}`);
      await terminal.until(/║ new/);
      const screen = await terminal.screen({ colours: true });
      for (const [code, word] of [
        [31, 'removed'],
        [32, 'added'],
        [33, 'modified'],
      ] as const)
        assert.equal(screen.includes(`\u001b[${code}m${word}`), coloured, `${word}\n${screen}`);
    }
  });
});

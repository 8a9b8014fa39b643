/** The completion scripts in the shells that they are for, whatever these have loaded. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { scratchFolder } from '@srv/kernel/testing';
import { programFile } from '@srv/test-servers/programs';
import { completionScripts } from '../src/completion-scripts.js';

const run = promisify(execFile);
const needs = (shell: string): string | false => spawnSync(shell, ['-c', 'true']).status !== 0 && `needs ${shell}`;

/** Runs lines in a shell that has `cli` on its path and none of the person's configuration. @returns standard output. */
async function inShell(shell: string, flags: readonly string[], lines: string): Promise<string> {
  const home = scratchFolder();
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'cli'), `#!/bin/sh\nexec '${process.execPath}' '${programFile('cli')}' "$@"\n`);
  chmodSync(join(bin, 'cli'), 0o755);
  mkdirSync(join(home, 'functions'));
  writeFileSync(join(home, 'functions', '_cli'), completionScripts['zsh'] ?? '');
  const { PATH, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH: `${bin}:${PATH ?? ''}`, HOME: home, TMPDIR, NODE_COMPILE_CACHE };
  const { stdout, stderr } = await run(shell, [...flags, '-c', lines], { cwd: home, env });
  assert.equal(stderr, '', lines);
  return stdout;
}

describe('completion in zsh', { skip: needs('zsh') }, () => {
  /** The function that completes `cli`, then the candidates that it adds for `cli cherry`. */
  const ask = 'print $_comps[cli]; compadd() { print -l $values }; words=(cli cherry); CURRENT=2; _cli';
  const wanted = '_cli\ncherry-pick\n';

  it('loads the completion of the shell when nothing has', async () => {
    assert.equal(await inShell('zsh', ['-f'], `source <(cli completion zsh); ${ask}`), wanted);
  });

  it('uses the completion that is loaded', async () => {
    const lines = `autoload -Uz compinit; compinit -i; compinit() { print again }; source <(cli completion zsh); ${ask}`;
    assert.equal(await inShell('zsh', ['-f'], lines), wanted);
  });

  it('completes from the first use on when it is found in $fpath', async () => {
    const lines = `fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -i; ${ask}`;
    assert.equal(await inShell('zsh', ['-f'], lines), wanted);
  });
});

describe('completion in bash', { skip: needs('bash') }, () => {
  it('completes a command', async () => {
    const ask = 'COMP_WORDS=(cli cherry); COMP_CWORD=1; compopt() { :; }; _cli; printf "%s\\n" "${COMPREPLY[@]}"';
    assert.equal(
      await inShell('bash', ['--norc', '--noprofile'], `source <(cli completion bash); complete -p cli; ${ask}`),
      'complete -o default -F _cli cli\ncherry-pick\n',
    );
  });
});

describe('completion in fish', { skip: needs('fish') }, () => {
  it('completes a command', async () => {
    const output = await inShell('fish', ['--no-config'], "cli completion fish | source; complete -C 'cli cherry'");
    assert.match(output, /^cherry-pick\t/m);
  });
});

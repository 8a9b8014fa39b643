/** The completion scripts in the shells that they are for, whatever these have loaded. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { scratchFolder } from '@srv/kernel/testing';
import { programFile } from '@srv/test-servers/programs';
import { completionScripts } from '../src/completion-scripts.js';
import { Terminal, noTerminal } from './terminal.js';

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
  const ask = 'print $_comps[cli]; compadd() { print -l $values }; words=(cli cherry); CURRENT=2; PREFIX=cherry; _cli';
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
    const ask = 'COMP_LINE="cli cherry"; COMP_POINT=10; compopt() { :; }; _cli; printf "%s\\n" "${COMPREPLY[@]}"';
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

/** Instead of `cli`: answers with the candidates of a file, notes the words it was asked about, and prints those it runs with. */
const substitute = `#!/bin/sh
if [ "$1" = __complete ]; then shift; printf '<%s>' "$@" > "$HOME/asked"; exec cat "$HOME/candidates"; fi
for word in "$@"; do printf '<%s>' "$word"; done
echo
`;

interface TestedShell {
  readonly words: readonly string[];
  /** Loads the script of a file. */
  readonly load: string;
  /** The user ends a quote, which the shell does not do after a candidate. */
  readonly leavesQuotes?: boolean;
}

const shells: Readonly<Record<string, TestedShell>> = {
  bash: { words: ['bash', '--norc', '--noprofile', '-i'], load: 'source ./script' },
  zsh: { words: ['zsh', '-f', '-i'], load: 'source ./script', leavesQuotes: true },
  fish: { words: ['fish', '--no-config', '-i'], load: 'source ./script' },
};

const main = 'srv://zoo/main/';

for (const [name, { words, load, leavesQuotes = false }] of Object.entries(shells))
  describe(`words at the prompt of ${name}`, { skip: needs(name) || noTerminal }, () => {
    const home = scratchFolder();
    let terminal: Terminal;
    let lines = 0;

    before(async () => {
      mkdirSync(join(home, 'bin'));
      writeFileSync(join(home, 'bin', 'cli'), substitute, { mode: 0o755 });
      writeFileSync(join(home, 'script'), completionScripts[name] ?? '');
      const env = {
        HOME: home,
        PATH: `${join(home, 'bin')}:${process.env.PATH ?? ''}`,
        LC_ALL: 'C.UTF-8',
        PS1: '$ ',
        XDG_RUNTIME_DIR: home,
      };
      terminal = await Terminal.open(home, words, env);
      await terminal.type(`${load}; cli loaded`);
      await terminal.until(/^<loaded>$/m);
    });

    after(() => terminal?.close());

    /** Types a line after `cli <number>`, lets it be completed, and runs it. @returns the words asked about, and those of the line. */
    async function completed(typed: string, candidates: readonly string[], end = ''): Promise<{ asked: string; run: string }> {
      writeFileSync(join(home, 'candidates'), candidates.map(candidate => `${candidate}\n`).join(''));
      const first = `<${++lines}>`;
      await terminal.send(`cli ${lines} ${typed}\t${end}\n`);
      const screen = await terminal.until(new RegExp(`^${first}<`, 'm'));
      const run = screen.split('\n').find(line => line.startsWith(first)) ?? '';
      return { asked: readFileSync(join(home, 'asked'), 'utf8').slice(first.length), run: run.slice(first.length) };
    }

    for (const quote of ['', '"', "'"])
      it(`protects what it inserts ${quote === '' ? 'outside quotes' : `within ${quote}`}`, async () => {
        const names = [
          'inj$(touch pwned)`touch pwned`.txt',
          'quote\'and"two',
          'back\\slash\\',
          'x!!y',
          'dollar$HOME',
          'a  b;c&d|e#f',
          'g*?[a]{b,c}',
        ];
        for (const candidate of names) {
          const end = leavesQuotes ? quote : '';
          const { run } = await completed(`stat ${quote}${main}${candidate.slice(0, 1)}`, [main + candidate], end);
          assert.equal(run, `<stat><${main}${candidate}>`);
        }
        assert.equal(existsSync(join(home, 'pwned')), false);
      });

    it('takes quotes and backslashes off what is typed', async () => {
      const asked = `<fs><a b><${main}dir with space/f>`;
      const candidate = `${main}dir with space/fi le`;
      for (const [typed, quote] of [
        [`${main}dir\\ with\\ space/f`, ''],
        [`"${main}dir with space/f`, '"'],
        [`'${main}dir with space/f`, "'"],
        [`${main}"dir with"\\ space/f`, ''],
      ] as const)
        assert.deepEqual(
          await completed(`fs "a b" ${typed}`, [candidate], leavesQuotes ? quote : ''),
          { asked, run: `<fs><a b><${candidate}>` },
          typed,
        );
    });

    it('completes addresses with any character that bash cuts words at', async () => {
      for (const typed of [`${main}key=value/`, `${main}a:b/`, `${main}a@b/`])
        assert.deepEqual(await completed(`-m foo: ${typed}`, [`${typed}x=1`]), {
          asked: `<-m><foo:><${typed}>`,
          run: `<-m><foo:><${typed}x=1>`,
        });
      assert.equal((await completed('--output=', ['--output=json'])).run, '<--output=json>');
    });

    it('completes files where no candidate is known', async () => {
      writeFileSync(join(home, 'only here'), '');
      assert.equal((await completed('-s on', [])).run, '<-s><only here>');
      assert.equal((await completed('-s ~/on', [])).run, `<-s><${home}/only here>`);
    });
  });

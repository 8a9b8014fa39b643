import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CommandTable, buildProgram, complete, firstWord, normaliseHelp, normaliseSwitches, parserComplaint } from '@srv/engine/shell';
import { scratchFolder } from '@srv/kernel/testing';
import { reference } from '../src/commands/docs.js';
import { builtInCommands } from '../src/commands/index.js';
import { completionScripts } from '../src/completion-scripts.js';
import { localPaths } from '../src/local-paths.js';
import { loadCommands } from '../src/run.js';
import { fixture } from './fixture.js';
import type { Invocation } from '@srv/engine/shell';
import type { CommandOption } from '@srv/lib-commands';

const table = new CommandTable();
for (const command of builtInCommands) table.add(command, 'cli');

function silence(parser: ReturnType<typeof buildProgram>): void {
  parser.configureOutput({ writeOut: () => {}, writeErr: () => {} });
  for (const command of parser.commands) silence(command as typeof parser);
}

/** What the words mean. @throws what the parser complains about. */
async function parse(...argv: string[]): Promise<Invocation> {
  let found: Invocation | undefined;
  const program = buildProgram({
    commands: table.list(),
    run: async invocation => {
      found = invocation;
    },
    showVersion: async () => {},
  });
  silence(program);
  await program.parseAsync(normaliseSwitches(argv, table.list()), { from: 'user' });
  assert.ok(found, 'a command ran');
  return found;
}

async function complaint(...argv: string[]): Promise<string> {
  const error = await parse(...argv).then(
    () => assert.fail('accepted'),
    (e: unknown) => e as Error & { code?: string },
  );
  return error.code ? parserComplaint(error.code, error.message, argv, table.list()) : error.message;
}

test('options and arguments mix; defaults fill in', async () => {
  const { command, input } = await parse(
    'commit',
    '-m',
    'text',
    'srv://repo/main',
    '--meta',
    'a=1,b=2',
    '--meta=c=3',
    '--allow-empty-message',
  );
  assert.equal(command.name, 'commit');
  assert.deepEqual(input.args, ['srv://repo/main']);
  assert.deepEqual(input.options, {
    'allow-empty-commit': false,
    'allow-empty-message': true,
    'epoch-time-seconds': -1,
    message: 'text',
    meta: ['a=1', 'b=2', 'c=3'],
  });
});

test('switches take values after =, in either direction', async () => {
  assert.equal((await parse('merge', 'a', 'b', '--allow-empty-message=false')).input.options['allow-empty-message'], false);
  assert.equal((await parse('fs', 'cat', 'a', '--pre-sign=false')).input.options['pre-sign'], false);
  assert.equal((await parse('fs', 'cat', 'a', '--pre-sign=true')).input.options['pre-sign'], true);
  assert.equal((await parse('fs', 'upload', 'a', '-s', 'b', '--no-progress')).input.options['no-progress'], true);
  assert.equal((await parse('fs', 'upload', 'a', '-s', 'b', '--no-progress=false')).input.options['no-progress'], false);
  assert.deepEqual((await parse('fs', 'cat', '--', '--pre-sign=false')).input.args, ['--pre-sign=false']);
});

test('global options stand anywhere', async () => {
  for (const argv of [
    ['-o', 'json', 'repo', 'list'],
    ['repo', '-o', 'json', 'list'],
    ['repo', 'list', '-o', 'json'],
    ['repo', 'list', '--output=json'],
  ]) {
    assert.equal((await parse(...argv)).globals.output, 'json', argv.join(' '));
  }
  const { globals } = await parse('repo', 'list', '--no-color', '--base-uri', 'srv://r', '-c', 'file');
  assert.deepEqual([globals['no-color'], globals['base-uri'], globals.config, globals.verbose], [true, 'srv://r', 'file', false]);
});

test('complaints', async () => {
  assert.equal(await complaint('repo', 'list', '--x'), 'unknown flag: --x');
  assert.equal(await complaint('repo', 'list', '-Z'), 'unknown shorthand flag: -Z');
  assert.equal(await complaint('repo', 'list', '--amount'), 'flag needs an argument: --amount');
  assert.equal(await complaint('repo', 'list', '--amount', 'x'), 'invalid argument for "--amount" flag: "x" is not a whole number');
  assert.equal(await complaint('repo', 'list', 'extra'), 'accepts 0 arg(s), received 1');
  assert.equal(await complaint('branch', 'create', 'b'), 'required flag(s) "source" not set');
  assert.equal(await complaint('fs', 'stage', 'p'), 'required flag(s) "checksum", "location", "size" not set');
  assert.match(
    await complaint('brnch'),
    /^unknown command "brnch" for "cli"\n\nDid you mean this\?\n\tbranch\n\nRun 'cli --help' for usage\.$/,
  );
  assert.equal(await complaint('nonsense'), 'unknown command "nonsense" for "cli"\nRun \'cli --help\' for usage.');
  assert.match(await complaint('brnch', '--amount', '3'), /^unknown command "brnch" for "cli"\n\nDid you mean this\?\n\tbranch\n/);
  for (const line of [['lst'], ['lst', '--amount', '3'], ['lst', 'srv://repo', '-o', 'json']])
    assert.match(
      await complaint('branch', ...line),
      /^unknown command "lst" for "cli branch"\n\nDid you mean this\?\n\tlist\n\nRun 'cli branch --help' for usage\.$/,
    );
  assert.equal(await complaint('branch', 'list', 'srv://repo', '--ammount', '3'), 'unknown flag: --ammount; did you mean --amount?');
  assert.equal(await complaint('--outputt', 'json'), 'unknown flag: --outputt; did you mean --output?');
  assert.equal(
    await complaint('merge', 'a', 'b', '--strategy', 'mine'),
    'invalid argument for "--strategy" flag: "mine" is not one of dest-wins, source-wins',
  );
});

test('help exits with 0', async () => {
  for (const argv of [[], ['--help'], ['fs'], ['fs', '--help'], ['fs', 'ls', '--help']]) {
    await assert.rejects(parse(...argv), (error: Error & { exitCode?: number }) => error.exitCode === 0, argv.join(' '));
  }
  assert.deepEqual(normaliseHelp(['help', 'fs', 'cat']), ['fs', 'cat', '--help']);
});

test('finds the first word after global options', () => {
  assert.equal(firstWord(['-c', 'file', '--no-color', '--output=json', 'foo', 'bar']), 4);
  assert.equal(firstWord(['--verbose']), -1);
});

const lines = (name: string): string[] =>
  readFileSync(fixture(name), 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'));
/** Lines `command<TAB>arguments<TAB>options`, an option being `--name`, `-x`, a type and a default. */
const spec = lines('spec-commands.tsv').map(line => line.split('\t'));
/** With those of plugins. */
const all = (await loadCommands()).list().map(({ command }) => command);

test('every command of the specification has its arguments, options, letters and defaults', () => {
  for (const [name = '', parameters = '', options = ''] of spec) {
    const command = all.find(c => c.name === name);
    assert.ok(command, `command ${name}`);
    assert.equal(
      (command.arguments ?? []).map(a => (a.variadic ? '+' : a.required ? '!' : '?')).join(''),
      parameters,
      `arguments of ${name}`,
    );
    for (const expected of options.split(' ').filter(text => text !== '')) {
      const wanted = /^--([^,:=]+)/.exec(expected)?.[1];
      const option: CommandOption | undefined = command.options?.find(o => o.name === wanted);
      assert.ok(option, `${name} ${expected}`);
      assert.equal(described(option, expected.includes('=')), expected, name);
    }
  }
});

function described({ name, short, type, default: preset }: CommandOption, withDefault: boolean): string {
  return `--${name}${short ? `,-${short}` : ''}:${type}${withDefault ? `=${String(preset)}` : ''}`;
}

test('a plugin whose command has a name that is taken is left out whole, and both owners are named', () => {
  const mixed = new CommandTable();
  const command = (name: string) => ({ name, summary: '', run: () => undefined });
  for (const [name, plugin] of [
    ['commit', 'cli'],
    ['other hello', 'other'],
    ['commit', 'other'],
    ['extra', 'one'],
    ['extra', 'two'],
    ['other hello', 'three'],
  ] as const)
    mixed.add(command(name), plugin);
  assert.deepEqual(
    mixed.list().map(c => [c.command.name, c.plugin]),
    [
      ['commit', 'cli'],
      ['extra', 'one'],
      ['other hello', 'three'],
    ],
  );
  assert.deepEqual(
    [...mixed.refused],
    [
      ['other', 'command commit is added by both cli and other'],
      ['two', 'command extra is added by both one and two'],
    ],
  );
});

test('completion: words, options, choices', async () => {
  const never = async () => assert.fail('the server is not asked');
  const values = async (words: string[], partial: string): Promise<string[]> =>
    (await complete(words, partial, { commands: table.list(), context: never, localPaths })).map(c => c.value);
  assert.deepEqual(await values([], 'bra'), ['branch']);
  assert.deepEqual(await values(['fs'], 'u'), ['upload']);
  assert.deepEqual(await values(['fs', 'upload'], '--co'), ['--content-type', '--config']);
  assert.deepEqual(await values(['merge', '--strategy'], ''), ['dest-wins', 'source-wins']);
  assert.deepEqual(await values(['completion'], 'f'), ['fish']);
  assert.deepEqual(await values(['fs', 'upload', '--source'], 'x'), []);
  assert.deepEqual(await values(['-o', 'json', 'fs'], 'u'), ['upload']);
  assert.deepEqual(await values(['--config', 'branch', 'fs', '-o', 'json'], 'u'), ['upload']);
  assert.deepEqual(await values(['--output=json', '--verbose', 'fs'], 'u'), ['upload']);
  assert.deepEqual(await values(['help'], 'bra'), ['branch']);
  assert.deepEqual(await values(['help', 'fs'], 'u'), ['upload']);
  assert.deepEqual(await values(['help', 'fs', 'upload'], 'srv://'), []);
  assert.deepEqual(await values(['fs', 'nothing'], 'u'), []);
  assert.deepEqual(await values([], '--output=j'), ['--output=json']);
  assert.deepEqual(await values(['merge'], '--strategy='), ['--strategy=dest-wins', '--strategy=source-wins']);
  assert.deepEqual(await values(['merge', '--'], '--strategy='), []);
  const file = join(scratchFolder(), 'local.txt');
  writeFileSync(file, '');
  assert.deepEqual(await values(['fs', 'upload', 'srv://a/b/c'], `--source=${file.slice(0, -4)}`), [`--source=${file}`]);
  assert.deepEqual(await values(['fs', 'upload', 'srv://a/b/c', '-s'], file.slice(0, -4)), [file]);
  assert.deepEqual(await values(['fs', 'ls', '-rs', 'x'], '--recur'), ['--recursive']);
  assert.deepEqual(Object.keys(completionScripts), ['bash', 'zsh', 'fish']);
});

test('the reference describes every command, plumbing last', () => {
  const text = reference(builtInCommands);
  for (const { name } of builtInCommands) assert.ok(text.includes(`### cli ${name}\n`), name);
  assert.ok(text.indexOf('### cli tag show') < text.indexOf('## Plumbing'));
  assert.ok(text.indexOf('### cli fs stage') > text.indexOf('## Plumbing'));
});

test('options of the commands of every plugin can be parsed together', () => {
  const options = { run: async () => {}, showVersion: async () => {} };
  assert.ok(buildProgram({ commands: all.map(command => ({ command, plugin: 'any' })), ...options }).commands.length > 20);
  const clash = { name: 'clash', summary: 'x', options: [option('rules', 'list'), option('no-rules', 'bool')], run: () => undefined };
  assert.throws(() => buildProgram({ commands: [{ command: clash, plugin: 'any' }], ...options }), /conflicting flag '--rules'/);
});

const option = (name: string, type: CommandOption['type']): CommandOption => ({ name, type, description: name });

import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { CommandTable } from '@srv/engine/shell';
import { scratchFolder } from '@srv/kernel/testing';
import { loadPluginPackages } from '../src/plugins/plugin-packages.js';
import { run } from './programs.js';

const scratch = scratchFolder();
after(() => rmSync(scratch, { recursive: true, force: true }));

interface PackageFacts {
  /** Source of the cli part. Default: adds the command `<name> hello`. */
  readonly cli?: string;
  readonly requires?: readonly string[];
  readonly name?: string;
  readonly version?: string;
}

/** Adds commands that answer with their name. */
const adding = (plugin: string, ...commands: readonly string[]): string =>
  `export default { name: '${plugin}', apply({ hooks }) { hooks.commands.tap('${plugin}', r => { for (const name of ${JSON.stringify(commands)})
  r.add({ name, summary: name, run: () => '${plugin}: ' + name, render: text => text }, '${plugin}'); }); } };`;

function writePackage(folder: string, facts: PackageFacts = {}): string {
  const name = facts.name ?? folder.split('/').at(-1) ?? '';
  const place = join(scratch, folder);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'cli.mjs'), facts.cli ?? adding(name, `${name} hello`));
  const srv = { api: 1, name, cli: './cli.mjs', requires: facts.requires ?? [] };
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name, version: facts.version ?? '1.2.3', keywords: ['srv-plugin'], srv }));
  return place;
}

test('a package that does not work is left out with its reason, and so is what requires it; the others work', async () => {
  const good = writePackage('modules/good', { requires: ['none-of-ours'] });
  writePackage('modules/syntax', { cli: 'export default {' });
  writePackage('modules/empty', { cli: 'export const x = 1;' });
  writePackage('modules/alias', { cli: adding('other', 'x') });
  writePackage('modules/thrower', { cli: "export default { name: 'thrower', apply() { throw new Error('no luck'); } };" });
  writePackage('modules/needs', { requires: ['syntax'] });
  writePackage('modules/needs-more', { requires: ['needs'] });
  writePackage('modules/Bad', { name: 'Bad' });
  const far = writePackage('far/away', { version: '4.0.0' });
  const twin = writePackage('far/good');
  const { packages, hooks } = await loadPluginPackages({
    builtIn: [],
    modules: [join(scratch, 'modules')],
    paths: [far, twin, good, join(scratch, 'nowhere')],
  });
  const table = new CommandTable(packages);
  hooks.commands.call(table);
  assert.deepEqual(
    table.list().map(c => c.command.name),
    ['good hello', 'away hello'],
  );
  const problems = new Map(packages.map(p => [`${p.name} ${p.version} ${p.origin} ${p.folder.slice(scratch.length)}`, p.problem ?? '']));
  assert.deepEqual([...problems.keys()].sort(), [
    '- - - /modules/Bad',
    '- - - /nowhere',
    'alias 1.2.3 package /modules/alias',
    'away 4.0.0 path /far/away',
    'empty 1.2.3 package /modules/empty',
    'good 1.2.3 package /modules/good',
    'good 1.2.3 path /far/good',
    'needs 1.2.3 package /modules/needs',
    'needs-more 1.2.3 package /modules/needs-more',
    'syntax 1.2.3 package /modules/syntax',
    'thrower 1.2.3 package /modules/thrower',
  ]);
  const reasons: Readonly<Record<string, RegExp>> = {
    '- - - /modules/Bad': /"srv\.name" must be lower-case letters/,
    '- - - /nowhere': /nowhere cannot be used as a plugin: there is no .*package\.json/,
    'alias 1.2.3 package /modules/alias': /^its cli part calls itself other; both names must be equal$/,
    'empty 1.2.3 package /modules/empty': /^its cli part has no plugin as default export$/,
    'good 1.2.3 path /far/good': /^shadowed by .*\/modules\/good$/,
    'needs 1.2.3 package /modules/needs': /^requires syntax, which does not work$/,
    'needs-more 1.2.3 package /modules/needs-more': /^requires needs, which does not work$/,
    'syntax 1.2.3 package /modules/syntax': /^its cli part cannot be loaded: Unexpected/,
    'thrower 1.2.3 package /modules/thrower': /^plugin thrower failed in apply: no luck \(at \S+\/thrower\/cli\.mjs:1:\d+\)$/,
  };
  for (const [which, problem] of problems) assert.match(problem, reasons[which] ?? /^$/, which);
});

test('programs on PATH are commands', async () => {
  const folder = join(scratch, 'path');
  mkdirSync(folder);
  writeFileSync(join(folder, 'cli-hello'), '#!/bin/sh\necho "hello $@"\nexit 7\n', { mode: 0o755 });
  writeFileSync(join(folder, 'cli-killed'), '#!/bin/sh\nkill -9 $$\n', { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env.PATH ?? ''}` };
  assert.equal((await run('cli', ['__complete', 'hel'], scratch, { env })).stdout, `hello\t${folder}/cli-hello\n`);
  for (const words of [
    ['fs', 'hel'],
    ['-o', 'hel'],
  ])
    assert.equal((await run('cli', ['__complete', ...words], scratch, { env })).stdout, '');
  const { code, stdout } = await run('cli', ['-o', 'json', 'hello', '--flag', 'x y'], scratch, { env });
  assert.deepEqual([code, stdout], [7, 'hello --flag x y\n']);
  assert.equal((await run('cli', ['killed'], scratch, { env })).code, 255);
  writeFileSync(join(folder, 'cli-lost'), '#!/no/such/program\n', { mode: 0o755 });
  const lost = await run('cli', ['lost'], scratch, { env });
  assert.deepEqual([lost.code, lost.stdout], [1, '']);
  assert.match(lost.stderr, /^failed to run plugin cli-lost: /);
});

test('plugin list shows origin, version, place and commands; what is left out is reported', async () => {
  const mine = writePackage('listed/mine', { cli: adding('mine', 'mine hello', 'commit') });
  const broken = writePackage('listed/broken', { cli: 'export default' });
  const other = writePackage('listed/other');
  const twice = writePackage('listed/twice', { cli: adding('twice', 'other hello', 'twice go') });
  const bins = ['one', 'two'].map(name => join(scratch, 'bin', name));
  for (const folder of bins) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'cli-tool'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(folder, 'cli-commit'), '#!/bin/sh\n', { mode: 0o755 });
  }
  writeFileSync(join(bins[0] ?? '', 'cli-dead'), '', { mode: 0o644 });
  const env = { SRV_PLUGINS_PATHS: [mine, broken, other, twice].join(), PATH: `${bins.join(':')}:${process.env.PATH ?? ''}` };
  const { code, stdout, stderr } = await run('cli', ['plugin', 'list'], scratch, { env });
  assert.equal(code, 0);
  const lines = stdout.split('\n');
  assert.equal(lines[0], `tool\t-\tPATH\t${bins[0]}/cli-tool`);
  assert.ok(lines.includes(`other\t1.2.3\tpath\t${other}\tother hello`), stdout);
  assert.match(stdout, /^engine\t[\d.]+\tbuilt-in\t\S+\/plugins\/engine\tcat-sst$/m);
  assert.doesNotMatch(stdout, /broken|dead|cli-commit|mine hello|twice go/);
  for (const warning of [
    `${bins[0]}/cli-dead: not executable`,
    `${bins[0]}/cli-commit: overshadowed by a built-in command`,
    `${bins[1]}/cli-tool: shadowed by ${bins[0]}/cli-tool`,
    `plugin broken in ${broken} is skipped: its cli part cannot be loaded: `,
    `plugin mine in ${mine} is skipped: command commit is added by both cli and mine`,
    `plugin twice in ${twice} is skipped: command other hello is added by both other and twice`,
  ])
    assert.ok(stderr.includes(`Warning: ${warning}`), `${warning}\n${stderr}`);
  const json = await run('cli', ['plugin', 'list', '-o', 'json'], scratch, { env });
  const rows = JSON.parse(json.stdout) as { readonly name: string; readonly origin: string; readonly problem?: string }[];
  assert.match(rows.find(({ name }) => name === 'broken')?.problem ?? '', /^its cli part cannot be loaded: /);
  assert.equal((await run('cli', ['other', 'hello'], scratch, { env })).stdout, 'other: other hello\n');
});

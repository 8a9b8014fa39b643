import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { CommandTable } from '@srv/engine/shell';
import { Kernel } from '@srv/kernel';
import { scratchFolder } from '@srv/kernel/testing';
import { tools } from '../src/srv/plugin-new/package-files.js';
import { newPlugin } from '../src/srv/plugin-new/scaffold.js';
import { packageFolder } from './fixture.js';
import { run } from './programs.js';

const repository = join(packageFolder, '..');
const scratch = scratchFolder();
after(() => rmSync(scratch, { recursive: true, force: true }));

/** A fresh folder for one test. */
function folderFor(name: string): string {
  const folder = join(scratch, name);
  mkdirSync(folder);
  return folder;
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

/** What `npm install` would do: the kernel, what commands are written with, and the types, from this repository. */
function install(folder: string): void {
  mkdirSync(join(folder, 'node_modules', '@srv'), { recursive: true });
  symlinkSync(join(repository, 'kernel'), join(folder, 'node_modules', '@srv', 'kernel'));
  symlinkSync(join(repository, 'plugins', 'lib-commands'), join(folder, 'node_modules', '@srv', 'lib-commands'));
  symlinkSync(join(repository, 'node_modules', '@types'), join(folder, 'node_modules', '@types'));
}

const compile = (folder: string): Promise<unknown> => promisify(execFile)(join(repository, 'node_modules', '.bin', 'tsc'), ['-p', folder]);

/** Runs the package's own test. @returns whether it passed. */
async function passes(folder: string): Promise<boolean> {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts: { readonly test: string } };
  const [program, ...args] = scripts.test.split(' ');
  assert.equal(program, 'node');
  // The runner around this test must not see the results of the inner one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return promisify(execFile)(process.execPath, args, { cwd: folder, env }).then(
    () => true,
    () => false,
  );
}

test('a plugin of its own builds, passes its test, and is found by both programs', async () => {
  const cwd = folderFor('alone');
  const told = await newPlugin({ name: 'commit-counter', cwd });
  const folder = join(cwd, 'srv-plugin-commit-counter');
  assert.match(
    told,
    /^plugin commit-counter made in srv-plugin-commit-counter\n\nNext:\n {2}cd srv-plugin-commit-counter\n {2}npm install\n {2}npm test\n/,
  );
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
  // This program runs from its sources, so the kernel is taken from there.
  const linked = dependencies['@srv/kernel'] ?? '';
  assert.equal(join(folder, linked.replace(/^file:/, '')), join(repository, 'kernel'));
  install(folder);
  await compile(folder);
  assert.ok(await passes(folder));

  const places = { paths: [folder] };
  const server = await new Kernel({ part: 'server', places, switches: {} }).load();
  assert.deepEqual(
    server.plugins.map(({ manifest: { name, origin } }) => [name, origin]),
    [['commit-counter', 'path']],
  );
  assert.deepEqual(
    server.sections.flatMap(({ plugin, keys }) => (plugin === 'commit-counter' ? Object.keys(keys) : [])),
    ['commit_counter.every'],
  );
  assert.deepEqual(server.wiring(), { start: ['commit-counter'], 'event[post-commit]': ['commit-counter'] });
  const table = new CommandTable();
  (await new Kernel({ part: 'cli', places, switches: {} }).load()).hooks.commands.call(table);
  assert.deepEqual(
    table.list().map(({ command, plugin }) => [command.name, plugin]),
    [['commit-counter hello', 'commit-counter']],
  );

  const env = { SRV_PLUGINS_PATHS: folder };
  const greeted = await run('cli', ['commit-counter', 'hello', 'ann'], cwd, { env });
  assert.deepEqual(greeted, { code: 0, stdout: 'hello ann\n', stderr: '' });
  const listed = await run('srv', ['plugins', 'list', '-o', 'json'], cwd, { env: { ...env, SRV_PLUGINS_ENABLED: 'commit-counter' } });
  const row = (JSON.parse(listed.stdout) as { name: string; hooks: string[] }[]).find(({ name }) => name === 'commit-counter');
  assert.deepEqual(row && { ...row, hooks: row.hooks.toSorted() }, {
    name: 'commit-counter',
    version: '0.1.0',
    origin: 'path',
    state: 'enabled',
    keys: ['commit_counter.every'],
    hooks: ['event[post-commit]', 'start'],
    commands: ['commit-counter hello'],
  });
});

test('a mistake in the plugin makes its test fail', async () => {
  const folder = join(folderFor('broken'), 'mistaken');
  await newPlugin({ name: 'mistaken', folder, cwd: scratch });
  install(folder);
  const file = join(folder, 'src', 'server', 'commit-counter.ts');
  const right = readFileSync(file, 'utf8');
  const wrong = right.replace('% this.#every === 0', '% this.#every === 1');
  assert.notEqual(wrong, right);
  writeFileSync(file, wrong);
  await compile(folder);
  assert.equal(await passes(folder), false);
});

test('in the workspace it is laid out like the plugins there, and the build knows it', async () => {
  const workspace = folderFor('workspace');
  for (const name of ['package.json', 'tsconfig.json']) cpSync(join(repository, name), join(workspace, name));
  mkdirSync(join(workspace, 'cli'));
  const told = await newPlugin({ name: 'greeter', cwd: join(workspace, 'cli') });
  assert.match(
    told,
    /^plugin greeter made in \.\.\/plugins\/greeter\n\nNext:\n {2}cd \.\.\n {2}npx tsc -b\n {2}npm test -- --only plugins\/greeter\/\n/,
  );
  const folder = join(workspace, 'plugins', 'greeter');

  const alone = join(workspace, 'alone');
  await newPlugin({ name: 'greeter', folder: alone, cwd: workspace });
  const same = filesBelow(folder).filter(path => /^(src|test)\//.test(path));
  assert.ok(same.includes('src/server/index.ts') && same.includes('test/greeter.test.ts'));
  for (const path of same) assert.equal(readFileSync(join(folder, path), 'utf8'), readFileSync(join(alone, path), 'utf8'), path);

  const json = (path: string): Record<string, unknown> => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  const [made, model] = [folder, join(repository, 'plugins', 'engine')].map(place => json(join(place, 'package.json')));
  for (const key of ['version', 'license', 'keywords', 'type', 'engines', 'files']) assert.deepEqual(made?.[key], model?.[key], key);
  const [settings, modelSettings] = [folder, join(repository, 'plugins', 'logging')].map(place => json(join(place, 'tsconfig.json')));
  const references = [{ path: '../../kernel' }, { path: '../lib-commands' }];
  assert.deepEqual(settings, { ...modelSettings, references });
  const [build, buildBefore] = [workspace, repository].map(place => readFileSync(join(place, 'tsconfig.json'), 'utf8'));
  const added = '    {\n      "path": "plugins/greeter"\n    },\n';
  const listed = [...(build ?? '').matchAll(/"path": "(plugins\/[^"]+)"/g)].map(([, path = '']) => path);
  assert.deepEqual(listed, [...listed].sort(), 'in the order of the alphabet');
  assert.ok(listed.includes('plugins/greeter'));
  assert.equal(build?.replace(added, ''), buildBefore);
});

test('it is built with what the repository is built with', () => {
  const { devDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  for (const [name, version] of Object.entries(tools)) assert.equal(version, devDependencies[name], name);
});

test('names no plugin can have are refused, with one that it can', async () => {
  const cwd = folderFor('names');
  const refused: readonly (readonly [name: string, message: RegExp])[] = [
    ['', /^plugin name "": it must be lower-case letters, digits and dashes, .*; try commit-counter$/],
    ['My Plugin', /^plugin name "My Plugin": .*; try my-plugin$/],
    ['9lives', /; try lives$/],
    ['../x', /; try x$/],
    ['x'.repeat(65), /at most 64 characters/],
    ['branch', /^plugin name branch: .*cli branch is built in; choose another name$/],
    ['engine', /^plugin name engine: there is such a plugin in .*plugins\/engine; choose another name$/],
  ];
  for (const [name, message] of refused) await assert.rejects(newPlugin({ name, cwd }), { message });
  assert.deepEqual(readdirSync(cwd), []);
});

test('never overwrites existing files', async () => {
  const cwd = folderFor('taken');
  writeFileSync(join(cwd, 'precious'), 'mine');
  for (const folder of ['precious', '.']) {
    await assert.rejects(newPlugin({ name: 'taken', folder, cwd }), { message: /exists already and is not changed; .*--folder$/ });
  }
  assert.deepEqual(filesBelow(cwd), ['precious']);
  assert.equal(readFileSync(join(cwd, 'precious'), 'utf8'), 'mine');
});

test('a failure midway leaves nothing', async () => {
  const cwd = folderFor('midway');
  writeFileSync(join(cwd, 'package.json'), '{"workspaces": ["plugins/*"]}');
  writeFileSync(join(cwd, 'tsconfig.json'), '{ "references": [');
  await assert.rejects(newPlugin({ name: 'half', cwd }), {
    message: /plugins\/half could not be created, and nothing was left behind: .*JSON/,
  });
  assert.deepEqual(readdirSync(cwd).sort(), ['package.json', 'tsconfig.json']);
  writeFileSync(join(cwd, 'file'), '');
  await assert.rejects(newPlugin({ name: 'half', folder: 'file/half', cwd }), {
    message: /could not be created, and nothing was left behind/,
  });
  assert.ok(existsSync(join(cwd, 'file')));
});

test('the program makes one and says what to type next', async () => {
  const cwd = folderFor('program');
  const { code, stdout, stderr } = await run('srv', ['plugin', 'new', 'typed', '--folder', 'here'], cwd);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(
    stdout,
    /^plugin typed made in here\n\nNext:\n {2}cd here\n {2}npm install\n {2}npm test\n {2}SRV_PLUGINS_PATHS=\S+\/here srv plugins list\n/,
  );
  const again = await run('srv', ['plugin', 'new', 'typed', '--folder', 'here'], cwd);
  assert.deepEqual([again.code, again.stdout], [1, '']);
  assert.match(again.stderr, /^srv: \S+\/here exists already and is not changed/);
});

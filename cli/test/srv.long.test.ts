import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { findPlugins } from '@srv/kernel';
import { scratchFolder, until } from '@srv/kernel/testing';
import { pluginPlaces } from '../src/places.js';
import { run, startServer } from './programs.js';
import type { AddressInfo } from 'node:net';

test('the first run makes an installation and shows the credentials once', async t => {
  const first = await startServer();
  t.after(() => first.remove());
  const secret = /Secret access key {2}(\S+)/.exec(first.banner())?.[1] ?? '';
  assert.match(secret, /^[A-Za-z0-9+/]{40}$/);
  assert.match(first.banner(), /Up and running/);
  assert.ok(first.banner().includes(`Data folder  ${first.home}/srv`));
  for (const name of ['settings.yaml', 'cli.yaml']) assert.equal(statSync(join(first.home, 'srv', name)).mode & 0o777, 0o600);
  assert.ok(readFileSync(join(first.home, 'srv', 'cli.yaml'), 'utf8').includes(first.url), 'the port that was free');
  assert.equal((await fetch(`${first.url}/_health`)).status, 200);
  first.signal('SIGINT');
  const { code, stdout, stderr } = await first.ended;
  assert.equal(code, 0, stderr);
  assert.match(stderr, /Shutting down\.\.\.\n$/);
  assert.match(stdout, /msg="shutting down" signal=SIGINT/);
  assert.ok(!stdout.includes(secret), 'no secret in the log');

  const second = await startServer(first.home);
  assert.ok(!second.banner().includes(secret), 'shown once');
  assert.ok(second.banner().includes(`  Credentials  ${first.home}/srv/cli.yaml\n`), 'where they are is shown every time');
  second.signal('SIGTERM');
  assert.equal((await second.ended).code, 0);
});

test('the printed commands work as they are', async t => {
  const server = await startServer();
  t.after(() => server.remove());
  const commands = server
    .banner()
    .split('\n')
    .filter(line => line.includes('/bin/cli '))
    .map(line => line.trim());
  assert.equal(commands.length, 3);
  const elsewhere = mkdtempSync(join(tmpdir(), 'srv-elsewhere-'));
  t.after(() => rmSync(elsewhere, { recursive: true }));
  const { spawnSync } = await import('node:child_process');
  for (const command of commands) {
    const { status, stderr } = spawnSync('sh', ['-c', command], { cwd: elsewhere, encoding: 'utf8' });
    assert.equal(status, 0, `${command}\n${stderr}`);
  }
  const shown = await run('srv', ['config', 'show'], server.home);
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /^database\.type: "local"$/m);
});

/** Runs that must not start: what is given, and the one line or list they say. */
const failing: readonly [name: string, env: (folder: string) => Record<string, string>, args: readonly string[], message: RegExp][] = [
  [
    'nothing configured',
    () => ({}),
    [],
    /^srv: bad configuration:\n {2}- database\.type: missing required key .*; allowed: .*\blocal, postgres\b[\s\S]*\n {2}- blockstore\.type: .*\bs3\b[\s\S]*\nTo start without a configuration: srv run --local-settings /,
  ],
  [
    'a bad file',
    () => ({}),
    ['--local-settings', '-c', 'bad.yaml'],
    /^srv: bad configuration:\n {2}- logging\.levle: unknown key \(from bad\.yaml:2\); did you mean logging\.level\?\n {2}- logging\.format: "x" \(from bad\.yaml:3\) is not allowed; allowed: one of json, text\n$/,
  ],
  ['a missing file', () => ({}), ['-c', 'none.yaml'], /^srv: --config none\.yaml: no such file\n$/],
  [
    'a plugin that is required',
    () => ({ SRV_PLUGINS_DISABLED: 'http' }),
    ['--local-settings'],
    /^srv: plugins \S+, .* require http, directly or through one another, and it is disabled by plugins\.disabled; .*\n$/,
  ],
  [
    'an unknown plugin',
    () => ({ SRV_PLUGINS_DISABLED: 'htp' }),
    ['--local-settings'],
    /^srv: plugins\.disabled: unknown plugin htp; did you mean http\?.*\n$/,
  ],
  [
    'a data folder that cannot be made',
    folder => ({ SRV_DATABASE_LOCAL_PATH: join(folder, 'file', 'data', 'kv') }),
    ['--local-settings'],
    /^srv: data folder .*file\/data: .*SRV_DATABASE_LOCAL_PATH\n$/,
  ],
  [
    'a log file that cannot be opened',
    folder => ({ SRV_LOGGING_OUTPUT: join(folder, 'file', 'log') }),
    ['--local-settings'],
    /^srv: logging\.output: .* cannot be opened: .*\n$/,
  ],
  [
    'a foreign address',
    () => ({ SRV_LISTEN_ADDRESS: '203.0.113.1:1' }),
    ['--local-settings'],
    /^srv: listen_address 203\.0\.113\.1:1: this machine has no such address; .*\n$/,
  ],
];
for (const [name, env, args, message] of failing) {
  test(`srv does not start with ${name}, and says so without a stack`, async () => {
    const home = scratchFolder();
    writeFileSync(join(home, 'bad.yaml'), 'logging:\n  levle: DEBUG\n  format: x\n');
    writeFileSync(join(home, 'file'), '');
    const { code, stderr } = await run('srv', ['run', ...args], home, { env: env(home) });
    assert.equal(code, 1);
    assert.match(stderr, message);
  });
}

test('a port in use is named', async t => {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await new Promise(resolve => {
    other.once('listening', resolve);
  });
  const { port } = other.address() as AddressInfo;
  const { code, stderr } = await run('srv', ['run', '--local-settings'], scratchFolder(), {
    env: { SRV_LISTEN_ADDRESS: `127.0.0.1:${port}` },
  });
  assert.equal(code, 1);
  assert.equal(
    stderr,
    `srv: listen_address 127.0.0.1:${port}: the port is in use; stop the other program or choose another address (SRV_LISTEN_ADDRESS)\n`,
  );
});

test('quickstart has the well-known credentials and a warning', async t => {
  const server = await startServer(scratchFolder(), ['--quickstart']);
  t.after(() => server.remove());
  assert.match(server.banner(), /Access key ID {6}AKIAIOSFOLQUICKSTART\n/);
  await until(() => /WARNING! Quickstart mode/.test(server.banner()));
});

test('config show masks secrets, names sources and writes nothing', async () => {
  const home = scratchFolder();
  mkdirSync(join(home, 'srv'));
  writeFileSync(join(home, 'srv', 'config.yaml'), 'logging:\n  level: WARN\n');
  const { code, stdout } = await run('srv', ['config', 'show', '--sources', '--local-settings'], home, {
    env: { SRV_LOGGING_FORMAT: 'json' },
  });
  assert.equal(code, 0);
  assert.match(stdout, /^auth\.encrypt\.secret_key: "\*{6}" +# first run:\d+$/m);
  assert.match(stdout, /^logging\.level: "WARN" +# ~\/srv\/config\.yaml:2$/m);
  assert.match(stdout, /^logging\.format: "json" +# SRV_LOGGING_FORMAT$/m);
  assert.match(stdout, /^auth\.login_duration: "168h" +# default$/m);
  assert.throws(() => statSync(join(home, 'srv', 'settings.yaml')));
});

test('config show prints a valid configuration file', async () => {
  const home = scratchFolder();
  const { stdout } = await run('srv', ['config', 'show', '--local-settings'], home);
  writeFileSync(join(home, 'copy.yaml'), stdout);
  const again = await run('srv', ['config', 'show', '-c', 'copy.yaml'], home);
  assert.equal(again.stdout, stdout, again.stderr);
});

test('config reference has every key that a plugin declares', async () => {
  const { code, stdout } = await run('srv', ['config', 'reference', '-o', 'json'], scratchFolder());
  assert.equal(code, 0);
  const shown = new Set((JSON.parse(stdout) as readonly { readonly key: string }[]).map(({ key }) => key));
  const { manifests } = findPlugins({ ...pluginPlaces(), modules: [], paths: [] });
  const declared: string[] = [];
  for (const { entries } of manifests.filter(({ entries }) => entries.config !== undefined && entries.server !== undefined)) {
    const { default: section } = (await import(pathToFileURL(entries.config ?? '').href)) as { default: { readonly keys: object } };
    declared.push(...Object.keys(section.keys));
  }
  assert.ok(declared.length > 100, String(declared.length));
  assert.deepEqual(
    declared.filter(key => !shown.has(key)),
    [],
  );
});

test('plugins list shows state, hooks and commands', async () => {
  const { code, stdout } = await run('srv', ['plugins', 'list', '--hooks', '-o', 'json'], scratchFolder());
  assert.equal(code, 0);
  const { plugins, hooks } = JSON.parse(stdout) as {
    plugins: { name: string; state: string; origin: string; keys: string[]; hooks: string[] }[];
    hooks: Record<string, string[]>;
  };
  const logging = plugins.find(p => p.name === 'logging');
  assert.ok(logging);
  assert.deepEqual([logging.state, logging.origin, logging.hooks], ['enabled', 'built-in', ['configured', 'stop']]);
  assert.ok(logging.keys.includes('logging.level'));
  assert.deepEqual(hooks.configSources, ['config', 'blockstores']);
  const table = await run('srv', ['plugins', 'list'], scratchFolder());
  assert.match(table.stdout, /^PLUGIN +VERSION +ORIGIN +STATE +KEYS +HOOKS +COMMANDS\n/);
});

test('plugins list shows which plugins of the command line are off', async () => {
  const stateOf = async (name: string, setting: string, value: string) => {
    const { stdout, stderr } = await run('srv', ['plugins', 'list', '-o', 'json'], scratchFolder(), { env: { [setting]: value } });
    assert.equal(stderr, '');
    const plugins = JSON.parse(stdout) as { name: string; state: string; commands: string[] }[];
    const found = plugins.find(plugin => plugin.name === name);
    return [found?.state, found?.commands.length];
  };
  assert.deepEqual(await stateOf('local', 'SRV_PLUGINS_DISABLED', 'local'), ['disabled by plugins.disabled', 0]);
  assert.deepEqual(await stateOf('abuse', 'SRV_PLUGINS_ENABLED', 'http,config'), ['not in plugins.enabled', 0]);
  assert.equal((await stateOf('local', 'SRV_PLUGINS_DISABLED', 'abuse'))[0], 'enabled');
});

test('versions', async () => {
  assert.match((await run('srv', ['--version'], scratchFolder())).stdout, /^srv version \d+\.\d+\.\d+\n$/);
});

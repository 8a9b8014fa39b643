import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { readPluginSwitches } from '../src/plugins/plugin-switches.js';
import { run } from './programs.js';

const scratch = scratchFolder();
after(() => rmSync(scratch, { recursive: true, force: true }));

function homeWith(files: Readonly<Record<string, string>>): string {
  const home = scratchFolder();
  after(() => rmSync(home, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  return home;
}

async function read(home: string, env: Readonly<Record<string, string>> = {}) {
  const warnings: string[] = [];
  return { ...(await readPluginSwitches({ env, home, warn: line => void warnings.push(line) })), warnings };
}

test('plugins are named and switched by the configuration file of the server, whose variables win', async () => {
  const home = homeWith({ 'srv/config.yaml': 'database: { type: local }\nplugins:\n  paths: [/a, "/b c"]\n  disabled: bisect,abuse\n' });
  assert.deepEqual(await read(home), { paths: ['/a', '/b c'], disabled: ['bisect', 'abuse'], enabled: [], warnings: [] });
  assert.deepEqual(await read(home, { SRV_PLUGINS_PATHS: '["/x,y"]', SRV_PLUGINS_ENABLED: 'engine' }), {
    paths: ['/x,y'],
    disabled: ['bisect', 'abuse'],
    enabled: ['engine'],
    warnings: [],
  });
  assert.deepEqual((await read(homeWith({ '.srv.yaml': 'plugins.paths: [/c]' }))).paths, ['/c']);
  assert.deepEqual(await read(homeWith({})), { paths: [], disabled: [], enabled: [], warnings: [] });
});

test('unusable settings are reported and left out: relative folders, wrong values, a file that is not YAML', async () => {
  const relative = await read(homeWith({ 'srv/config.yaml': 'plugins: { paths: [./mine, /a] }' }));
  assert.deepEqual(relative.paths, ['/a']);
  assert.match(
    relative.warnings.join(),
    /^\.\/mine of plugins\.paths \(~\/srv\/config\.yaml:1\) is found by the server alone: give its absolute path/,
  );
  const wrong = await read(homeWith({}), { SRV_PLUGINS_PATHS: '["/a"' });
  assert.deepEqual(wrong.paths, []);
  assert.match(wrong.warnings.join(), /^SRV_PLUGINS_PATHS is ignored: /);
  const broken = await read(homeWith({ 'srv/config.yaml': 'plugins: [\n' }));
  assert.match(
    broken.warnings.join(),
    /^plugins\.paths and plugins\.disabled of ~\/srv\/config\.yaml are ignored: ~\/srv\/config\.yaml:\d+:\d+: /,
  );
});

function writePlugin(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'cli.mjs'),
    "export default { name: 'greeter', apply({ hooks }) { hooks.commands.tap('greeter', r => r.add({ name: 'greet', summary: 'Greet', run: () => 'hello', render: text => text }, 'greeter')); } };",
  );
  const srv = { api: 1, name: 'greeter', cli: './cli.mjs' };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'greeter', version: '1.0.0', keywords: ['srv-plugin'], srv }));
  return folder;
}

test('cli has the commands of plugins that the file of the server names, and not of those it disables', async () => {
  const folder = writePlugin(join(scratch, 'greeter'));
  const named = homeWith({ 'srv/config.yaml': `plugins: { paths: [${folder}] }` });
  assert.deepEqual(await run('cli', ['greet'], named), { code: 0, stdout: 'hello\n', stderr: '' });
  const disabled = homeWith({ 'srv/config.yaml': `plugins: { paths: [${folder}], disabled: [greeter, bisect] }` });
  for (const word of ['greet', 'bisect']) {
    const { code, stderr } = await run('cli', [word, 'log'], disabled);
    assert.equal(code, 2);
    assert.match(stderr, new RegExp(`unknown command "?${word}`));
  }
  const { stdout, stderr } = await run('srv', ['plugins', 'list', '-o', 'json'], disabled);
  assert.equal(stderr, '');
  const states = new Map((JSON.parse(stdout) as { name: string; state: string }[]).map(({ name, state }) => [name, state]));
  for (const name of ['greeter', 'bisect']) assert.equal(states.get(name), 'disabled by plugins.disabled');
});

test('a switch that makes no sense is said, and then no plugin is switched off', async () => {
  const { code, stderr } = await run('cli', ['bisect', '--help'], homeWith({}), { env: { SRV_PLUGINS_DISABLED: 'bisekt' } });
  assert.equal(code, 0);
  assert.match(stderr, /^Warning: no plugin is switched off: plugins\.disabled: unknown plugin bisekt; did you mean bisect\?/);
});

test('a configuration file in the working folder names no plugins for cli: it may be a download', async () => {
  const folder = writePlugin(join(scratch, 'download', 'greeter'));
  writeFileSync(join(scratch, 'download', 'config.yaml'), `plugins: { paths: [${folder}] }`);
  const { code } = await run('cli', ['greet'], homeWith({}), { cwd: join(scratch, 'download') });
  assert.equal(code, 2);
});

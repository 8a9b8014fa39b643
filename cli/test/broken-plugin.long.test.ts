/** What an operator uses to find out which plugin is broken works while it is. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder } from '@srv/kernel/testing';
import { installation } from './installation.js';
import { run } from './programs.js';

/** @returns the folder of a plugin that fails as soon as it is applied. */
function brokenPlugin(): string {
  const folder = join(scratchFolder(), 'broken');
  mkdirSync(folder);
  const manifest = {
    name: 'broken',
    version: '1.0.0',
    type: 'module',
    keywords: ['srv-plugin'],
    srv: { api: 1, name: 'broken', server: './index.js' },
  };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'index.js'), "export default { name: 'broken', apply() { throw new Error('this plugin is broken'); } };");
  return folder;
}

const complaint = /this plugin is broken/;

test('commands for operators work while a plugin is broken, and say so', async () => {
  const home = installation('internal');
  const config = ['-c', join(home, 'srv.yaml')];
  const env = { SRV_PLUGINS_PATHS: brokenPlugin() };
  const setUp = await run('srv', ['setup', '--user-name', 'ann', ...config], home);
  assert.equal(setUp.code, 0, setUp.stderr);
  for (const [words, output] of [
    [['plugins', 'list'], /^kv-local /m],
    [['config', 'show'], /^database\.type: "local"$/m],
    [['config', 'reference'], /database\.type/],
    [['kv', 'version'], /schema version/],
    [['kv', 'repair'], /Nothing to repair/],
    [['kv', 'scan', 'auth'], /"username":"ann"/],
  ] as const) {
    const { code, stdout, stderr } = await run('srv', [...words, ...config], home, { env });
    assert.equal(code, 0, `${words.join(' ')}: ${stderr}`);
    assert.match(stdout, output, words.join(' '));
    if (words[1] !== 'reference') assert.match(stderr, complaint, words.join(' '));
  }
  const help = await run('srv', ['--help'], home, { env });
  assert.match(help.stdout, /^ +kv +Records of the key-value database/m);
  assert.match(help.stdout, /^ +config +The configuration/m);
  assert.match(help.stderr, complaint);
});

test('a plugin that is broken stops what needs all plugins, and a command that only it may have', async () => {
  const [home, env] = [scratchFolder(), { SRV_PLUGINS_PATHS: brokenPlugin() }];
  for (const words of [['superuser', '--user-name', 'ann', '--local-settings'], ['frobnicate'], ['run', '--local-settings']]) {
    const { code, stderr } = await run('srv', words, home, { env });
    assert.equal(code, 1, words.join(' '));
    assert.match(stderr, complaint, words.join(' '));
  }
});

test('a configuration file that cannot be read hides neither the commands nor the reference', async () => {
  const home = scratchFolder();
  writeFileSync(join(home, 'bad.yaml'), 'a: [');
  const reference = await run('srv', ['config', 'reference', '-c', 'bad.yaml'], home);
  assert.deepEqual([reference.code, reference.stderr], [0, '']);
  const shown = await run('srv', ['config', 'show', '-c', 'bad.yaml'], home);
  assert.equal(shown.code, 1);
  assert.match(shown.stderr, /^srv: .*bad\.yaml/);
});

test('a plugin that is off has no commands, and nothing else misses them', async () => {
  const env = { SRV_PLUGINS_DISABLED: 'kv-tools' };
  const help = await run('srv', ['--help'], scratchFolder(), { env });
  assert.doesNotMatch(help.stdout, /^ +kv\b/m);
  const gone = await run('srv', ['kv', 'version'], scratchFolder(), { env });
  assert.deepEqual([gone.code, gone.stdout], [1, '']);
  assert.match(gone.stderr, /unknown command 'kv'/);
});

/** The first example of the guide for plugin authors, as printed, from a folder that has nothing else. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { transformSync } from 'esbuild';
import { launchSrv, repositoryRoot, temporaryFolder } from '../programs.js';

const guide = readFileSync(join(repositoryRoot, 'kernel', 'README.md'), 'utf8');

function block(language: string): string {
  const [, text] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(guide) ?? [];
  assert.ok(text, `the guide has a block of ${language}`);
  return text;
}

it('a hook type of the library, made with joi, loads from a folder that has neither', async t => {
  const folder = temporaryFolder(t);
  const plugin = join(folder, 'hook-chat');
  mkdirSync(plugin, { recursive: true });
  const readme = readFileSync(join(repositoryRoot, 'plugins', 'lib-api', 'README.md'), 'utf8');
  const [, source = ''] = /```ts\n([\s\S]*?)```/.exec(readme.slice(readme.indexOf('\n## Hook types\n'))) ?? [];
  const manifest = {
    name: 'hook-chat',
    version: '1.0.0',
    type: 'module',
    keywords: ['srv-plugin'],
    srv: { api: 1, name: 'hook-chat', server: './plugin.js' },
  };
  writeFileSync(join(plugin, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(plugin, 'plugin.js'), transformSync(source, { loader: 'ts' }).code);
  const { code, stdout, stderr } = await launchSrv(folder, ['plugins', 'list', '--hooks'], { SRV_PLUGINS_PATHS: plugin }).finished;
  assert.equal(code, 0, stderr);
  assert.match(stdout, /hook-chat/);
  assert.doesNotMatch(stdout + stderr, /cannot be loaded/);
});

it('loads from any folder, named by a variable', async t => {
  const folder = temporaryFolder(t);
  const plugin = join(folder, 'elsewhere', 'heartbeat');
  mkdirSync(plugin, { recursive: true });
  writeFileSync(join(plugin, 'package.json'), block('json'));
  writeFileSync(join(plugin, 'plugin.js'), transformSync(block('ts'), { loader: 'ts' }).code);
  const env = { SRV_PLUGINS_PATHS: plugin };
  const told = async (...args: string[]): Promise<string> => {
    const program = launchSrv(join(folder, 'home'), args, env);
    const { code, stdout, stderr } = await program.finished;
    assert.equal(code, 0, stderr);
    return stdout;
  };
  mkdirSync(join(folder, 'home'));
  assert.match(await told('plugins', 'list'), /^heartbeat\b/m);
  assert.match(await told('config', 'reference'), /heartbeat\.interval/);
});

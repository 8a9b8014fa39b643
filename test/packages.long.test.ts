/** What others install: every package, packed, in an empty folder, with a third-party plugin beside it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { spent } from '@srv/kernel/testing';
import { hasFeature } from './feature-operations.js';
import { RunningProcess } from './processes.js';
import { repositoryRoot, temporaryFolder, untilUp } from './programs.js';
import type { TestContext } from 'node:test';
import type * as FreshBundle from '@srv/cli/dist/src/fresh-bundle.js';

const run = promisify(execFile);

/** A plugin with a part for the server and one for the command line, as a third party would publish it. */
const thirdParty = {
  'package.json': JSON.stringify({
    name: 'srv-greeter',
    version: '1.0.0',
    type: 'module',
    keywords: ['srv-plugin'],
    srv: { api: 1, name: 'greeter', server: './server.js', cli: './cli.js', requires: ['http'] },
  }),
  'server.js': `import { SrvError, defineConfig, definePlugin, key } from '@srv/kernel';
const section = defineConfig({ plugin: 'greeter', keys: { 'greeter.word': key.text({ default: 'Hello', meaning: 'Said first' }) } });
export default definePlugin({
  name: 'greeter',
  apply(kernel) {
    try {
      kernel.services.get('missing');
    } catch (error) {
      if (!(error instanceof SrvError)) throw new Error('a second copy of the kernel');
    }
    kernel.hooks.configSections.tap('greeter', add => add(section));
    kernel.hooks.routes.tapPromise('greeter', async server => {
      server.route({ method: 'GET', path: '/greeting', handler: () => kernel.config.values(section.keys)['greeter.word'] });
    });
  },
});
`,
  'cli.js': `import { definePlugin } from '@srv/kernel';
import { defineCommand } from '@srv/lib-commands';
const greet = defineCommand({
  name: 'greet',
  summary: 'Greet the caller',
  run: async context => (await (await context.client()).getCurrentUser({})).user,
  render: user => 'Hello, ' + user.id,
});
export default definePlugin({ name: 'greeter', apply: ({ hooks }) => hooks.commands.tap('greeter', registry => registry.add(greet, 'greeter')) });
`,
};

/** Loads every module that a manifest names: what is missing from a package, or from its dependencies, shows here. */
const loadAll = `
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
const failed = [];
let count = 0;
for (const name of process.argv.slice(2)) {
  const folder = join(process.cwd(), 'node_modules', name);
  const { srv = {}, exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const parts = ['server', 'cli', 'config', 'operations'].map(part => srv[part]);
  const exported = typeof exports === 'string' ? [exports] : Object.values(exports).map(each => (typeof each === 'string' ? each : each.default));
  for (const file of new Set([...parts, ...exported])) {
    if (typeof file !== 'string' || !file.endsWith('.js') || file.includes('testing')) continue;
    count++;
    await import(pathToFileURL(join(folder, file)).href).catch(error => failed.push(name + ' ' + file + ': ' + error.message));
  }
}
console.log(JSON.stringify({ failed, count }));
process.exit(0);
`;

interface PageParts {
  readonly parts: readonly {
    readonly plugin: string;
    readonly description?: Readonly<Record<string, readonly { readonly view?: string; readonly dialog?: string }[]>>;
  }[];
}

/** The page, and the files of each part that a feature brings. */
async function hasPages(url: string): Promise<void> {
  const page = await fetch(`${url}/`, { headers: { accept: 'text/html' } });
  assert.deepEqual([page.status, page.headers.get('content-type')?.startsWith('text/html')], [200, true]);
  const { parts } = JSON.parse(/id="boot">([^<]*)</.exec(await page.text())?.[1] ?? '') as PageParts;
  const named = ['auth', 'pulls', 'sql'].filter(hasFeature);
  assert.deepEqual(
    named.filter(name => !parts.some(({ plugin }) => plugin === name)),
    [],
  );
  for (const { plugin, description = {} } of parts)
    for (const { view, dialog } of Object.values(description).flat()) {
      const file = view ?? dialog;
      if (file === undefined) continue;
      const { status, body } = await fetch(`${url}/assets/${plugin}/${file}`);
      await body?.cancel();
      assert.equal(status, 200, `${plugin} ${file}`);
    }
}

async function install(t: TestContext, folder: string): Promise<readonly string[] | undefined> {
  await spent('building', () => run(process.execPath, [join(repositoryRoot, 'scripts', 'dist', 'package.js'), folder]));
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly dependencies: object };
  try {
    const flags = ['--prefer-offline', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund'];
    await spent('building', () => run('npm', ['ci', ...flags], { cwd: folder, maxBuffer: 1 << 26 }));
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    if (!/ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/.test(stderr)) throw error;
    t.skip('needs a registry, or a cache of it, that has the dependencies');
    return undefined;
  }
  return Object.keys(dependencies);
}

test('packed packages run in an empty folder, with a third-party plugin', async t => {
  const folder = temporaryFolder(t);
  const names = await install(t, folder);
  if (!names) return;
  writeFileSync(join(folder, 'load-all.mjs'), loadAll);
  const { stdout } = await run(process.execPath, ['load-all.mjs', ...names], { cwd: folder, maxBuffer: 1 << 26 });
  const { failed, count } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
    readonly failed: readonly string[];
    readonly count: number;
  };
  assert.deepEqual(failed, []);
  assert.ok(count > names.length, `${count} modules of ${names.length} packages`);

  const installed = join(folder, 'node_modules', '@srv', 'cli', 'dist', 'src', 'fresh-bundle.js');
  const { freshBundle } = (await import(pathToFileURL(installed).href)) as typeof FreshBundle;
  for (const program of ['cli', 'srv'] as const) assert.ok(freshBundle(program), `${program} has a bundle`);

  const plugin = join(folder, 'node_modules', 'srv-greeter');
  mkdirSync(plugin);
  for (const [file, content] of Object.entries(thirdParty)) writeFileSync(join(plugin, file), content);
  const home = join(folder, 'home');
  mkdirSync(home);
  // What npx would run.
  const program = (name: string): string => join(folder, 'node_modules', '.bin', name);
  const env = { HOME: home, SRV_LISTEN_ADDRESS: '127.0.0.1:0', SRV_GREETER_WORD: 'Ahoy', CLI_CONFIG_FILE: join(home, 'srv', 'cli.yaml') };
  const server = new RunningProcess(program('srv'), ['run', '--local-settings'], { cwd: folder, env });
  t.after(() => server.end('SIGKILL'));
  const url = await untilUp(server);
  const cli = async (args: readonly string[], input?: string): Promise<string> => {
    const child = new RunningProcess(program('cli'), args, { cwd: folder, env, input });
    const { code, stdout: out, stderr } = await child.finished;
    assert.equal(code, 0, `cli ${args.join(' ')}: ${stderr}`);
    return out;
  };
  assert.equal(await (await fetch(`${url}/greeting`)).text(), 'Ahoy');
  if (hasFeature('ui')) await hasPages(url);
  assert.match(await cli(['greet']), /^Hello, \w+\n$/);
  await cli(['repo', 'create', 'srv://lakes', 'local://lakes']);
  await cli(['fs', 'upload', 'srv://lakes/main/a.txt', '-s', join(folder, 'load-all.mjs')]);
  await cli(['commit', 'srv://lakes/main', '-m', 'first']);
  assert.equal(await cli(['fs', 'cat', 'srv://lakes/main/a.txt']), loadAll);
  if (hasFeature('usage')) assert.match(await cli(['usage', 'summary']), /^Usage for installation ID: /);
  const { code, stderr } = await server.end('SIGTERM');
  assert.equal(code, 0, stderr);
});

/** A feature is one folder: without the folder and its reference line the workspace builds, keeps its rules, and its server runs. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { hasFeature } from './feature-operations.js';
import { RunningProcess } from './processes.js';
import { repositoryRoot, temporaryFolder, untilUp } from './programs.js';

const run = promisify(execFile);
const features = [
  'abuse',
  'actions',
  'auth-claims',
  'auth-external',
  'auth-principals',
  'auth-remote',
  'auth-service',
  'bisect',
  'branch-protection',
  'doctor',
  'email',
  'gateway-s3',
  'gc',
  'hook-airflow',
  'hook-lua',
  'hook-webhook',
  'import',
  'kv-tools',
  'local',
  'metastore',
  'notices',
  'pulls',
  'sql',
  'stats',
  'ui',
  'usage',
].filter(hasFeature);
/** What a build needs; packages of others are shared. */
const parts = ['package.json', 'tsconfig.json', 'kernel', 'plugins', 'cli', 'scripts', 'test'];

/** A copy whose workspace packages are its own. */
function copyWorkspace(folder: string): void {
  for (const part of parts) cpSync(join(repositoryRoot, part), join(folder, part), { recursive: true, preserveTimestamps: true });
  const [from, to] = [join(repositoryRoot, 'node_modules'), join(folder, 'node_modules')];
  mkdirSync(join(to, '@srv'), { recursive: true });
  for (const name of readdirSync(from)) if (name !== '@srv' && !name.startsWith('.')) symlinkSync(join(from, name), join(to, name));
  const places = [
    ...readdirSync(join(folder, 'plugins')).map(name => join(folder, 'plugins', name)),
    join(folder, 'scripts', 'test-servers'),
  ];
  // A folder without package.json is what is left of a package of another branch.
  const packages = places.filter(place => existsSync(join(place, 'package.json')));
  for (const place of [...packages, join(folder, 'kernel'), join(folder, 'cli')]) {
    const { name } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as { readonly name: string };
    symlinkSync(place, join(to, name));
  }
}

function withoutReference(folder: string, feature: string): void {
  const file = join(folder, 'tsconfig.json');
  const config = JSON.parse(readFileSync(file, 'utf8')) as { references: { path: string }[] };
  const references = config.references.filter(({ path }) => path !== `plugins/${feature}`);
  assert.equal(references.length, config.references.length - 1, 'one line refers to the feature');
  writeFileSync(file, JSON.stringify({ ...config, references }));
}

test('without a feature the rest builds and runs', { timeout: 1_200_000 }, async t => {
  const folder = temporaryFolder(t);
  copyWorkspace(folder);
  for (const feature of features) {
    await t.test(feature, async () => {
      rmSync(join(folder, 'plugins', feature), { recursive: true });
      withoutReference(folder, feature);
      await run(process.execPath, [join(repositoryRoot, 'node_modules', 'typescript', 'bin', 'tsc'), '-b'], { cwd: folder }).catch(
        (error: { stdout?: string }) => assert.fail(error.stdout ?? String(error)),
      );
      await run(process.execPath, [join(folder, 'scripts', 'dist', 'bundle-programs.js')], { cwd: folder });
      const { stdout } = await run(process.execPath, [join(folder, 'scripts', 'dist', 'check-dependencies.js')], { cwd: folder });
      assert.equal(stdout.trim(), '');
      const home = join(folder, `home-${feature}`);
      const env = { HOME: home, SRV_LISTEN_ADDRESS: '127.0.0.1:0' };
      const server = new RunningProcess(join(folder, 'cli', 'bin', 'srv.js'), ['run', '--local-settings'], { cwd: folder, env });
      try {
        assert.match(await (await fetch(`${await untilUp(server)}/_health`)).text(), /^alive! /);
      } finally {
        await server.end('SIGKILL');
      }
    });
  }
});

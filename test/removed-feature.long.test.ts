/**
 * A feature is one folder: without the folder and its reference line the workspace builds, keeps its rules, and its server
 * runs. A few go at a time, until none is left.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { envName } from '@srv/kernel';
import { spent } from '@srv/kernel/testing';
import { hasFeature } from './feature-operations.js';
import { RunningProcess } from './processes.js';
import { repositoryRoot, temporaryFolder, untilUp } from './programs.js';
import type { ConfigSection } from '@srv/kernel';

const run = promisify(execFile);
const features = [
  'abuse',
  'actions',
  'auth-claims',
  'auth-external',
  'auth-principals',
  'auth-remote',
  'auth-scim',
  'auth-service',
  'bisect',
  'branch-protection',
  'doctor',
  'email',
  'gateway-s3',
  'gc',
  'hook-airflow',
  'huggingface',
  'hook-webhook',
  'hook-lua',
  'iceberg',
  'import',
  'kv-tools',
  'local',
  'mcp',
  'metastore',
  'notices',
  'pulls',
  'row-diff',
  'search',
  'sql',
  'stats',
  'ui',
  'usage',
  'webdav',
  'sql-engine',
  'auth-saml',
].filter(hasFeature);
/** Neighbours in the list, which may be parts of one subject, go at different times; who uses another feature, or tests with it, goes no later than that. */
const groups = [0, 1, 2, 3, 4, 5].map(number => features.filter((_, i) => i % 6 === number)).filter(group => group.length > 0);
/** What a build needs; packages of others are shared. */
const parts = ['package.json', 'tsconfig.json', 'kernel', 'plugins', 'cli', 'scripts', 'test'];

/** A copy whose workspace packages are its own. */
function copyWorkspace(folder: string): void {
  const installed = join(repositoryRoot, 'test', 'servers', 'packages', 'node_modules');
  const filter = (source: string): boolean => source !== installed;
  for (const part of parts) cpSync(join(repositoryRoot, part), join(folder, part), { recursive: true, preserveTimestamps: true, filter });
  const [from, to] = [join(repositoryRoot, 'node_modules'), join(folder, 'node_modules')];
  mkdirSync(join(to, '@srv'), { recursive: true });
  for (const name of readdirSync(from)) if (name !== '@srv' && !name.startsWith('.')) symlinkSync(join(from, name), join(to, name));
  const places = [...readdirSync(join(folder, 'plugins')).map(name => join(folder, 'plugins', name)), join(folder, 'test', 'servers')];
  // A folder without package.json is what is left of a package of another branch.
  const packages = places.filter(place => existsSync(join(place, 'package.json')));
  for (const place of [...packages, join(folder, 'kernel'), join(folder, 'cli')]) {
    const { name } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as { readonly name: string };
    symlinkSync(place, join(to, name));
  }
}

/** Text of the sources that the compiler reads, by path. */
function sourcesOf(folder: string): ReadonlyMap<string, string> {
  const files = ['kernel', 'plugins', 'cli', 'scripts', 'test'].flatMap(part =>
    (readdirSync(join(folder, part), { recursive: true }) as string[])
      .filter(file => /\.tsx?$/.test(file) && !/(^|\/)(dist|node_modules)\//.test(file))
      .map(file => join(folder, part, file)),
  );
  return new Map(files.map(file => [file, readFileSync(file, 'utf8')]));
}

/** Has the compiler look again at each project with a source that names a feature: an import of it must not compile. */
function forgetBuilds(sources: ReadonlyMap<string, string>, gone: readonly string[]): void {
  const name = new RegExp(`'@srv/(?:${gone.join('|')})['/]`);
  for (const [file, text] of sources) {
    if (!name.test(text) || !existsSync(file)) continue;
    let folder = dirname(file);
    while (!existsSync(join(folder, 'dist'))) folder = dirname(folder);
    for (const output of readdirSync(join(folder, 'dist'))) if (output.endsWith('.tsbuildinfo')) rmSync(join(folder, 'dist', output));
  }
}

function withoutReferences(folder: string, gone: readonly string[]): void {
  const file = join(folder, 'tsconfig.json');
  const { atime, mtime } = statSync(file);
  const config = JSON.parse(readFileSync(file, 'utf8')) as { references: { path: string }[] };
  const references = config.references.filter(({ path }) => !gone.some(feature => path === `plugins/${feature}`));
  assert.equal(references.length, config.references.length - gone.length, 'one line refers to each feature');
  writeFileSync(file, JSON.stringify({ ...config, references }));
  // Every project extends this file, whose options are what they were: with a new time all would be compiled each time.
  utimesSync(file, atime, mtime);
}

/** Keys of the server in the specification. */
const specified = new Set(
  readFileSync(join(repositoryRoot, 'cli', 'test', 'fixtures', 'spec-keys.tsv'), 'utf8')
    .split('\n')
    .map(line => line.split('\t', 1)[0]),
);

/** Keys of the specification that a feature declares. */
async function specifiedKeysOf(feature: string): Promise<readonly string[]> {
  const folder = join(repositoryRoot, 'plugins', feature);
  const { srv } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly srv: { readonly config?: string } };
  if (srv.config === undefined) return [];
  const section = (await import(pathToFileURL(join(folder, srv.config)).href)) as { readonly default: ConfigSection };
  return Object.keys(section.default.keys).filter(key => specified.has(key));
}

/** Faces and features that others need: their folders stay. */
const needed = ['api', 'auth', 'http'];

test('every face and every feature that others do not need is removed once', () => {
  const folders = readdirSync(join(repositoryRoot, 'plugins')).filter(name => {
    const file = join(repositoryRoot, 'plugins', name, 'package.json');
    if (!existsSync(file)) return false;
    const { srv } = JSON.parse(readFileSync(file, 'utf8')) as { readonly srv: { readonly layer: string } };
    return srv.layer === 'features' || srv.layer === 'faces';
  });
  const optional = features.filter(name => folders.includes(name));
  assert.deepEqual([...optional, ...needed].sort(), folders.sort());
});

test('keys of the specification are known without their feature', async () => {
  const file = join(repositoryRoot, 'plugins', 'config', 'dist', 'src', 'server', 'feature-keys.js');
  const { featureKeys } = (await import(pathToFileURL(file).href)) as { readonly featureKeys: readonly string[] };
  const keys = (await Promise.all(features.map(specifiedKeysOf))).flat();
  assert.ok(keys.length > 0);
  assert.deepEqual(
    keys.filter(key => !featureKeys.includes(key)),
    [],
    'add them to plugins/config/src/server/feature-keys.ts',
  );
});

/** Packages that carry features and name none. */
const carriers = ['plugins/ui', 'plugins/engine', 'plugins/api', 'cli'].filter(folder => existsSync(join(repositoryRoot, folder)));

/** What only a feature knows: its package, its operations, its keys outside of the specification. */
async function namesOf(feature: string): Promise<readonly string[]> {
  const folder = join(repositoryRoot, 'plugins', feature);
  const { srv } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly srv: { readonly config?: string; readonly operations?: string };
  };
  const load = async (file: string | undefined): Promise<object> =>
    file === undefined ? {} : ((await import(pathToFileURL(join(folder, file)).href)) as { readonly default: object }).default;
  const { keys = {} } = (await load(srv.config)) as Partial<ConfigSection>;
  return [`@srv/${feature}`, ...Object.keys(await load(srv.operations)), ...Object.keys(keys)];
}

test('ui, engine, api and cli name no feature', async () => {
  const texts = carriers.map(carrier => {
    const files = readdirSync(join(repositoryRoot, carrier), { recursive: true, encoding: 'utf8' });
    const sources = files.filter(file => /^(src|page)\/.*\.tsx?$/.test(file));
    return {
      carrier,
      words: new Set(sources.flatMap(file => readFileSync(join(repositoryRoot, carrier, file), 'utf8').match(/[\w.@/-]+/g) ?? [])),
    };
  });
  let known = 0;
  for (const feature of features) {
    const names = await namesOf(feature);
    known += names.length;
    for (const { carrier, words } of texts)
      if (!carrier.endsWith(`/${feature}`))
        assert.deepEqual([carrier, feature, ...names.filter(name => words.has(name))], [carrier, feature]);
  }
  assert.ok(known > 100, `${known} names were looked for`);
  assert.ok(texts.every(({ words }) => words.size > 1000));
});

test('without some features the rest builds and runs', async t => {
  const folder = temporaryFolder(t);
  copyWorkspace(folder);
  const sources = sourcesOf(folder);
  for (const [number, gone] of groups.entries()) {
    await t.test(gone.join(', '), async () => {
      const keys = (await Promise.all(gone.map(specifiedKeysOf))).flat();
      for (const feature of gone) rmSync(join(folder, 'plugins', feature), { recursive: true });
      withoutReferences(folder, gone);
      forgetBuilds(sources, gone);
      await spent('building', async () => {
        await run(process.execPath, [join(repositoryRoot, 'node_modules', 'typescript', 'bin', 'tsc'), '-b'], { cwd: folder }).catch(
          (error: { stdout?: string }) => assert.fail(error.stdout ?? String(error)),
        );
        await run(process.execPath, [join(folder, 'scripts', 'dist', 'bundle-programs.js')], { cwd: folder });
      });
      // Meanwhile the server starts.
      const checking = run(process.execPath, [join(folder, 'scripts', 'dist', 'check-dependencies.js')], { cwd: folder });
      checking.catch(() => undefined);
      const home = join(folder, `home-${number}`);
      // Settings of its keys still work.
      mkdirSync(join(home, 'srv'), { recursive: true });
      writeFileSync(join(home, 'srv', 'config.yaml'), keys.map(key => `${key}: anything\n`).join(''));
      const env = { HOME: home, SRV_LISTEN_ADDRESS: '127.0.0.1:0', ...Object.fromEntries(keys.map(key => [envName(key), 'anything'])) };
      const server = new RunningProcess(join(folder, 'cli', 'bin', 'srv.js'), ['run', '--local-settings'], { cwd: folder, env });
      try {
        assert.match(await (await fetch(`${await untilUp(server)}/_health`)).text(), /^alive! /);
      } finally {
        await server.end('SIGKILL');
      }
      assert.equal((await checking).stdout.trim(), '');
    });
  }
});

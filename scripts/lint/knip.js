/** What knip takes as the entries of each package: what its manifest names, programs, tests, and files that are started by their paths. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';

const root = new URL('../../', import.meta.url);
const folders = ['kernel', 'cli', 'test/servers', ...readdirSync(new URL('plugins', root)).map(name => `plugins/${name}`)];

/** Programs and threads that are started by their paths, and modules that only a bundler reads. */
const started = ['src/main.ts', 'src/srv/main.ts', '**/worker.ts', 'test/lock-contender.ts', 'src/shared-chromium.ts', 'test/support/files.ts'];
const bundled = ['build/bundle.ts', 'src/build/{bundle,program}.ts', 'page/main.tsx', 'page/without-node/*.ts'];
const tests = ['test/**/*.test.ts', 'test/bench.ts'];

function workspaceOf(folder) {
  const { srv = {} } = JSON.parse(textOf(`${folder}/package.json`));
  const parts = [srv.server, srv.cli, srv.config, srv.operations, srv.shell].filter(path => path?.startsWith('./dist/src/'));
  const sources = parts.map(path => path.replace('./dist/', '').replace(/\.js$/, '.ts'));
  return { entry: [...sources, ...started, ...bundled, ...pageOf(folder), ...tests], project: ['**/*.{ts,tsx}', '!dist/**'], ignore: ['dist/**'] };
}

/** A page part is an index, which names its views by their paths. */
function pageOf(folder) {
  const index = ['page/index.ts', 'page/index.tsx'].find(path => existsSync(new URL(`${folder}/${path}`, root)));
  if (index === undefined) return [];
  return [index, ...[...textOf(`${folder}/${index}`).matchAll(/'\.\/([\w./-]+\.tsx?)'/g)].map(([, view]) => `page/${view}`)];
}

function textOf(path) {
  return readFileSync(new URL(path, root), 'utf8');
}

export default {
  // Modules have a name for those who import them here, and a default for the manifest; a peer may be missing.
  rules: { duplicates: 'off', optionalPeerDependencies: 'off' },
  workspaces: {
    '.': {
      entry: [
        'scripts/*.ts',
        'scripts/bench/{api-server,bare-files,build-memory,cli-bare,gateway-server,peak-memory}.ts',
        'scripts/test/**/*.test.ts',
        'test/**/*.test.ts',
        'test/third-party/plugins/*.ts',
      ],
      project: ['scripts/**/*.ts', 'test/**/*.ts', '!test/servers/**', '!**/dist/**'],
    },
    ...Object.fromEntries(
      folders.filter(folder => existsSync(new URL(`${folder}/package.json`, root))).map(folder => [folder, workspaceOf(folder)]),
    ),
  },
  // Programs that tests use where they are installed.
  ignoreBinaries: ['java', 'mkfifo', 'openssl', 'prlimit', 'sst_dump'],
};

/**
 * How `srv` is bundled: its modules, those of every plugin of the workspace, and the libraries all of them load at the start.
 * Other libraries stay where they are installed.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join, posix, sep } from 'node:path';
import { repositoryRoot } from '../repository-root.js';
import { packageFolders } from '../workspace-folders.js';
import { entriesOf, exportsOf } from './manifests.js';
import type * as BundledModules from '@srv/cli/dist/src/plugins/bundled-modules.js';
import type { BuildOptions, Plugin } from 'esbuild';

/** Loaded at every start, in many small files, and without compiled parts or threads. */
const libraries = ['@hapi/boom', '@hapi/bourne', '@hapi/hapi', 'commander', 'joi', 'lru-cache', 'picomatch', 'saxes', 'tapable', 'yaml'];

const bundledModules = './cli/dist/src/plugins/bundled-modules.js';
/** What the bundle calls there. */
const [offer, place] = ['offerBundle', 'urlOf'] satisfies readonly (keyof typeof BundledModules)[];

/** Scripts of threads that most servers start; each is found beside the module that starts it. */
const threads = new Map(
  [
    'engine/dist/src/tables/workers/worker.js',
    'block-local/dist/src/server/small-files/small-read-worker.js',
    'block-local/dist/src/server/small-files/small-write-worker.js',
    'lib-stores/dist/src/checksums/hash-thread.js',
  ].map(name => [join(repositoryRoot, 'plugins', name), posix.basename(name, '.js')]),
);

const [mainName, modulesName] = ['srv-main', 'srv-modules'];
const compiled = /\/dist\/src\/.*\.js$/;

export function srvOptions(): BuildOptions {
  return {
    entryPoints: [{ in: mainName, out: 'main' }, ...[...threads].map(([file, out]) => ({ in: file, out }))],
    plugins: [main, httpAlone, librariesOutside, modulesOfPackages, placesOfModules],
  };
}

const main: Plugin = {
  name: 'main',
  setup(build) {
    const contents = [
      `import { ${offer} } from '${bundledModules}';`,
      `${offer}(() => import('${modulesName}'));`,
      `await import('./cli/dist/src/srv/main.js');`,
    ].join('\n');
    build.onResolve({ filter: new RegExp(`^${mainName}$`) }, () => ({ path: mainName, namespace: mainName }));
    build.onLoad({ filter: /.*/, namespace: mainName }, () => ({ contents, resolveDir: repositoryRoot }));
  },
};

/** An import of `node:http` reads all of its members, and some load a second client of HTTP, which a server does not use. */
const httpAlone: Plugin = {
  name: 'HTTP alone',
  setup(build) {
    const namespace = 'http-alone';
    build.onResolve({ filter: /^node:http$/ }, ({ path, kind }) => (kind === 'import-statement' ? { path, namespace } : undefined));
    build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({ contents: `module.exports = require(${JSON.stringify(path)});` }));
  },
};

const librariesOutside: Plugin = {
  name: 'libraries outside',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point' || /^(?:node:|@srv\/)/.test(path) || path === modulesName) return undefined;
      const library = path
        .split('/')
        .slice(0, path.startsWith('@') ? 2 : 1)
        .join('/');
      // What a bundled library needs is bundled with it.
      return libraries.includes(library) || importer.includes('/node_modules/') ? undefined : { path, external: true };
    });
  },
};

/** One module with all that plugins are made of, by package and file. */
const modulesOfPackages: Plugin = {
  name: 'modules of packages',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^${modulesName}$`) }, () => ({ path: modulesName, namespace: modulesName }));
    build.onLoad({ filter: /.*/, namespace: modulesName }, () => {
      const found = packageFolders(repositoryRoot).flatMap(f => [...exportsOf(f), ...entriesOf(f, ['server', 'config', 'operations'])]);
      const modules = [...new Map(found.map(module => [module.name, module])).values()];
      const imports = modules.map(({ path }, i) => `import * as m${i} from ${JSON.stringify(path)};`);
      const members = modules.map(({ name }, i) => `${JSON.stringify(name)}: m${i},`);
      return { contents: [...imports, 'export default {', ...members, '};'].join('\n'), resolveDir: repositoryRoot };
    });
  },
};

/** Other threads and files beside a module of a plugin are found from its own place; what configuration requires is in the bundle. */
const placesOfModules: Plugin = {
  name: 'places of modules',
  setup(build) {
    const plugins = join(repositoryRoot, 'plugins') + sep;
    build.onLoad({ filter: compiled }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      if (path.startsWith(join(repositoryRoot, 'kernel') + sep))
        return { contents: source.replace('const require = createRequire(import.meta.url);', '') };
      if (!path.startsWith(plugins) || !source.includes('import.meta.url')) return undefined;
      const name = path.slice(plugins.length).split(sep).join('/');
      const imported = `import { ${place} as placeOfModule } from ${JSON.stringify(join(repositoryRoot, bundledModules))};`;
      const placed = source.replaceAll(/(new URL\('([\w./-]+)', )?import\.meta\.url/g, (whole, opening: string = '', file: string = '') =>
        threads.has(join(dirname(path), file)) ? whole : `${opening}placeOfModule(${JSON.stringify(name)})`,
      );
      return { contents: `${imported}\n${placed}` };
    });
  },
};

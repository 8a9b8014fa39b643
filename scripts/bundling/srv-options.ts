/**
 * How `srv` is bundled: its modules, those of every plugin of the workspace, and the libraries all of them load at the start.
 * Other libraries stay where they are installed.
 */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { repositoryRoot } from '../repository-root.js';
import { packageFolders } from '../workspace-folders.js';
import type * as BundledModules from '@srv/cli/dist/src/plugins/bundled-modules.js';
import type { BuildOptions, Plugin } from 'esbuild';

/** Loaded at every start, in many small files, and without compiled parts or threads. */
const libraries = ['@hapi/boom', '@hapi/bourne', '@hapi/hapi', 'commander', 'joi', 'lru-cache', 'picomatch', 'saxes', 'tapable', 'yaml'];

const bundledModules = './cli/dist/src/plugins/bundled-modules.js';
/** What the bundle calls there. */
const [offer, place] = ['offerBundle', 'urlOf'] satisfies readonly (keyof typeof BundledModules)[];

const modulesName = 'srv-modules';
const compiled = /\/dist\/src\/.*\.js$/;

export function srvOptions(): BuildOptions {
  const contents = [
    `import { ${offer} } from '${bundledModules}';`,
    `${offer}(() => import('${modulesName}'));`,
    `await import('./cli/dist/src/srv/main.js');`,
  ].join('\n');
  return {
    stdin: { contents, resolveDir: repositoryRoot, sourcefile: 'main.js' },
    entryNames: 'main',
    plugins: [librariesOutside, modulesOfPackages, placesOfModules],
  };
}

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
      const modules = packageFolders(repositoryRoot).flatMap(modulesOf);
      const imports = modules.map(({ folder, file }, i) => `import * as m${i} from './${folder}/${file}';`);
      const members = modules.map(({ folder, file }, i) => `${JSON.stringify(`${basename(folder)}/${file}`)}: m${i},`);
      return { contents: [...imports, 'export default {', ...members, '};'].join('\n'), resolveDir: repositoryRoot };
    });
  },
};

interface PackageJson {
  readonly private?: boolean;
  /** Modules for browsers have conditions. */
  readonly exports?: Readonly<Record<string, string | object>>;
  readonly srv?: Readonly<Record<string, unknown>>;
}

/** What a server loads of a package, and what plugins from outside may import of it. */
function modulesOf(folder: string): { folder: string; file: string }[] {
  const text = readFileSync(join(repositoryRoot, folder, 'package.json'), 'utf8');
  const { private: isPrivate = false, exports = {}, srv = {} } = JSON.parse(text) as PackageJson;
  if (isPrivate) return [];
  const exported = Object.entries(exports).flatMap(([name, file]) => (name === './testing' || typeof file !== 'string' ? [] : [file]));
  const loaded = ['server', 'config', 'operations'].map(entry => srv[entry]).filter(file => typeof file === 'string');
  return [...new Set([...exported, ...loaded])].map(file => ({ folder, file: file.replace(/^\.\//, '') }));
}

/** Threads and files beside a module of a plugin are found from its own place; what configuration requires is in the bundle. */
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
      return { contents: `${imported}\n${source.replaceAll('import.meta.url', `placeOfModule(${JSON.stringify(name)})`)}` };
    });
  },
};

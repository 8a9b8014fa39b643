/** How `cli` is bundled: its modules, and the parts of every plugin of the workspace that it loads, each when a command needs it. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { linesOf } from '@srv/lib-api/client';
import { repositoryRoot } from '../repository-root.js';
import { packageFolders } from '../workspace-folders.js';
import { largeLater } from './as-commonjs.js';
import { cliParts } from './cli-parts.js';
import { engineShapes } from './engine-shapes.js';
import { entriesOf } from './manifests.js';
import type * as BundledModules from '@srv/cli/dist/src/plugins/bundled-modules.js';
import type { WireShapes } from '@srv/lib-api/client';
import type { BuildOptions, Plugin } from 'esbuild';
import type { PackageModule } from './manifests.js';

/** What the bundle calls first. */
const offer = 'offerParts' satisfies keyof typeof BundledModules;
const [mainName, partsName, shapesName] = ['cli-main', 'cli-parts', 'cli-shapes'];

export async function cliOptions(): Promise<BuildOptions> {
  const parts = await cliParts();
  // The thread is found beside the module that starts it.
  const files = ['cli/dist/src/launch.js', 'plugins/engine/dist/src/transfer/hash-thread.js'];
  return {
    entryPoints: [{ in: mainName, out: 'main' }, ...files.map(file => ({ in: join(repositoryRoot, file), out: fileName(file) }))],
    minify: true,
    plugins: [await mainWith(parts), engineShapes, largeLater],
    // Large, in CommonJS, and wanted by few: it stays where it is installed.
    external: ['@aws-sdk/credential-providers'],
  };
}

const fileName = (file: string): string => file.replace(/.*\/|\.js$/g, '');

/** The program, and before it a module that offers the parts by the files they are made of. */
async function mainWith(parts: readonly PackageModule[]): Promise<Plugin> {
  const namespace = 'cli';
  const members = parts.map(({ name, path }) => `${JSON.stringify(name)}: () => import(${JSON.stringify(path)}),`);
  const contents: Readonly<Record<string, string>> = {
    [mainName]: `import '${partsName}';\nimport './cli/dist/src/main.js';`,
    [partsName]: [
      `import { ${offer} } from './cli/dist/src/plugins/bundled-modules.js';`,
      `${offer}({`,
      ...members,
      `}, () => import('${shapesName}'));`,
    ].join('\n'),
    [shapesName]: `export default ${JSON.stringify(await linesByModule())};`,
  };
  return {
    name: 'main with parts',
    setup(build) {
      build.onResolve({ filter: new RegExp(`^(?:${Object.keys(contents).join('|')})$`) }, ({ path }) => ({ path, namespace }));
      build.onLoad({ filter: /.*/, namespace }, ({ path }) => ({ contents: contents[path] ?? '', resolveDir: repositoryRoot }));
    },
  };
}

/** The operations of every plugin as clients see them, by the module that describes them. */
async function linesByModule(): Promise<Record<string, ReturnType<typeof linesOf>>> {
  const modules = packageFolders(repositoryRoot).flatMap(folder => entriesOf(folder, ['operations']));
  const lines = modules.map(async ({ name, path }) => {
    const { default: operations } = (await import(pathToFileURL(join(repositoryRoot, path)).href)) as { readonly default: WireShapes };
    return [name, linesOf(operations)] as const;
  });
  return Object.fromEntries(await Promise.all(lines));
}

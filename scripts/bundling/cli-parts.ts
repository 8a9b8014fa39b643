/** Which parts of plugins `cli` is bundled with. */
import { build } from 'esbuild';
import { repositoryRoot } from '../repository-root.js';
import { packageFolders } from '../workspace-folders.js';
import { entriesOf } from './manifests.js';
import type { Metafile } from 'esbuild';
import type { PackageModule } from './manifests.js';

const main = 'cli/dist/src/main.js';
/** Bytes of libraries, beyond those of the program itself, that a part may bring. One that needs more stays where it is installed. */
const mostOwnLibraries = 100_000;

/** Those whose libraries are small and without compiled code: a bundle cannot hold `.node` files, and large ones are wanted by few. */
export async function cliParts(): Promise<PackageModule[]> {
  const parts = packageFolders(repositoryRoot).flatMap(folder => entriesOf(folder, ['cli', 'operations']));
  const { metafile } = await build({
    absWorkingDir: repositoryRoot,
    entryPoints: [main, ...parts.map(({ path }) => path)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outdir: 'unwritten',
    write: false,
    metafile: true,
    logLevel: 'error',
    loader: { '.node': 'empty' },
  });
  const { inputs } = metafile;
  const own = librariesOf(main, inputs);
  return parts.filter(({ path }) => {
    const brought = [...librariesOf(path.slice('./'.length), inputs)].filter(file => !own.has(file));
    const size = brought.reduce((sum, file) => sum + (inputs[file]?.bytes ?? 0), 0);
    return size <= mostOwnLibraries && !brought.some(file => file.endsWith('.node'));
  });
}

/** Files of libraries that a module needs, directly or not. */
function librariesOf(entry: string, inputs: Metafile['inputs']): ReadonlySet<string> {
  const needed = new Set([entry]);
  // The set grows while it is walked.
  for (const file of needed) for (const { path } of inputs[file]?.imports ?? []) if (path in inputs) needed.add(path);
  return new Set([...needed].filter(file => file.includes('node_modules/')));
}

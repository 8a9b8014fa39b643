/**
 * Puts `cli` and the libraries it is made of into a few files: `node scripts/dist/bundle-cli.js`. Hundreds of small modules
 * take longer to find and read than to run. Does nothing when the last bundle is still true.
 */
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';
import { bundleFolder, factsFile, freshBundle, stampOf } from '@srv/cli/dist/src/fresh-bundle.js';
import type { BundleFacts } from '@srv/cli/dist/src/fresh-bundle.js';
import { repositoryRoot } from './repository-root.js';

const cli = join(repositoryRoot, 'cli');

if (freshBundle() === undefined) await bundle();

async function bundle(): Promise<void> {
  // A program that starts meanwhile finds the old bundle, or none.
  const fresh = `${bundleFolder}-fresh`;
  const { metafile } = await build({
    // The thread is found beside the module that starts it.
    entryPoints: [join(cli, 'dist', 'src', 'main.js'), join(repositoryRoot, 'plugins', 'lib-transfer', 'dist', 'src', 'hash-thread.js')],
    entryNames: '[name]',
    outdir: fresh,
    absWorkingDir: cli,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    minify: true,
    keepNames: true,
    legalComments: 'none',
    // Its modules for Node.js are CommonJS, whose names an import of a bundle does not see.
    alias: { yaml: join(repositoryRoot, 'node_modules', 'yaml', 'browser', 'dist', 'index.js') },
    // Large, in CommonJS, and wanted by few: it stays where it is installed.
    external: ['@aws-sdk/credential-providers'],
    metafile: true,
    logLevel: 'warning',
    // Packages in CommonJS ask for the modules of Node.js by `require`.
    banner: { js: "import{createRequire as bundleRequire}from'node:module';const require=bundleRequire(import.meta.url);" },
  });
  const inputs = Object.keys(metafile.inputs).map(file => resolve(cli, file));
  const builds = [...new Set(inputs.flatMap(buildInfoOf))].sort();
  await writeFile(
    join(fresh, factsFile),
    JSON.stringify({ stamps: Object.fromEntries(builds.map(file => [file, stampOf(file)])) } satisfies BundleFacts),
  );
  await rm(bundleFolder, { recursive: true, force: true });
  await rename(fresh, bundleFolder);
}

/** What the compiler writes whenever it changes a file of the package. */
function buildInfoOf(file: string): string[] {
  const at = file.lastIndexOf('/dist/src/');
  return at < 0 || file.includes('/node_modules/')
    ? []
    : [join(dirname(file.slice(0, at + 1)), file.slice(file.lastIndexOf('/', at - 1) + 1, at), 'dist', '.tsbuildinfo')];
}

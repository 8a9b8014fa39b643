/** Bundles a program, and notes what it was made of. */
import { rename, rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { bundleFolder, factsFile, stampOf } from '@srv/cli/dist/src/fresh-bundle.js';
import { build } from 'esbuild';
import { repositoryRoot } from '../repository-root.js';
import type { BundleFacts, Program } from '@srv/cli/dist/src/fresh-bundle.js';
import type { BuildOptions } from 'esbuild';

/** Packages in CommonJS ask for the modules of Node.js by `require`. */
export const requireBanner = "import{createRequire as bundleRequire}from'node:module';const require=bundleRequire(import.meta.url);";

const common: BuildOptions = {
  absWorkingDir: repositoryRoot,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  legalComments: 'none',
  // Its modules for Node.js are CommonJS, whose names an import of a bundle does not see.
  alias: { yaml: join(repositoryRoot, 'node_modules', 'yaml', 'browser', 'dist', 'index.js') },
  banner: { js: requireBanner },
  logLevel: 'warning',
};

/** @param finish works on the files before they are used. */
export async function writeBundle(program: Program, options: BuildOptions, finish?: (folder: string) => Promise<void>): Promise<void> {
  const folder = bundleFolder(program);
  // A program that starts meanwhile finds the old bundle, or none.
  const fresh = `${folder}-fresh`;
  const { metafile } = await build({ ...common, ...options, outdir: fresh, metafile: true });
  await finish?.(fresh);
  const inputs = Object.keys(metafile.inputs).map(file => resolve(repositoryRoot, file));
  const builds = [...new Set(inputs.flatMap(buildInfoOf))].sort();
  const facts: BundleFacts = { stamps: Object.fromEntries(builds.map(file => [file, stampOf(file)])) };
  await writeFile(join(fresh, factsFile), JSON.stringify(facts));
  await rm(folder, { recursive: true, force: true });
  await rename(fresh, folder);
}

/** What the compiler writes whenever it changes a file of the package, as seen from `cli`. */
function buildInfoOf(file: string): string[] {
  const at = file.lastIndexOf('/dist/src/');
  return at < 0 || file.includes('/node_modules/')
    ? []
    : [relative(join(repositoryRoot, 'cli'), join(file.slice(0, at), 'dist', '.tsbuildinfo'))];
}

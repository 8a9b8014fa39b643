/** How `cli` is bundled. */
import { join } from 'node:path';
import { repositoryRoot } from '../repository-root.js';
import { engineShapes } from './engine-shapes.js';
import type { BuildOptions } from 'esbuild';

export function cliOptions(): BuildOptions {
  return {
    // The thread is found beside the module that starts it.
    entryPoints: ['cli/dist/src/launch.js', 'cli/dist/src/main.js', 'plugins/engine/dist/src/transfer/hash-thread.js'].map(file =>
      join(repositoryRoot, file),
    ),
    entryNames: '[name]',
    minify: true,
    plugins: [engineShapes],
    // Large, in CommonJS, and wanted by few: it stays where it is installed.
    external: ['@aws-sdk/credential-providers'],
  };
}

/**
 * Builds the page: `node dist/build/bundle.js`. Does nothing when no source is newer than the last build.
 * Each file that compresses is stored compressed as well, since the server compresses nothing while it runs.
 */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compressFiles, newest } from '@srv/lib-page';
import { build } from 'vite';
import { readShellParts, shellParts } from './shell-parts.js';
import { withoutNode } from './without-node.js';

const plugin = fileURLToPath(new URL('../../', import.meta.url));
const target = join(plugin, 'dist', 'page');
/** A folder of its own while it is built: a server that starts meanwhile finds the old page whole. */
const fresh = join(plugin, 'dist', 'page-fresh');
const plugins = join(plugin, '..');
const parts = readShellParts(plugins);
/** What the shell takes from other packages is as new as their last compilation. */
const compiled = [...new Set(['../kernel', 'engine', 'lib-api', 'lib-commands', 'lib-page', ...parts.map(part => part.folder)])];
const sources = [
  ...['page', 'src', 'build', 'package.json'].map(name => join(plugin, name)),
  ...compiled.flatMap(folder => [join(plugins, folder, 'package.json'), join(plugins, folder, 'dist', '.tsbuildinfo')]),
  join(plugins, 'lib-page', 'dist', '.page.tsbuildinfo'),
];

if (newest(sources) > newest([join(target, 'index.html')])) await bundle();

async function bundle(): Promise<void> {
  await build({
    configFile: false,
    root: join(plugin, 'page'),
    // Addresses relative to the file they are in: the page may stand below a prefix.
    base: './',
    logLevel: 'warn',
    publicDir: false,
    worker: { format: 'es', plugins: () => [withoutNode(join(plugin, 'page')), shellParts(parts)] },
    esbuild: { jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none' },
    build: {
      outDir: fresh,
      emptyOutDir: true,
      target: 'es2022',
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      modulePreload: { polyfill: false },
    },
  });
  await compressFiles(join(fresh, 'assets'));
  await rm(target, { recursive: true, force: true });
  await rename(fresh, target);
}

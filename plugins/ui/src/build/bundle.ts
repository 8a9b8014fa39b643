/**
 * Builds the page: `node dist/src/build/bundle.js`. Does nothing when no source is newer than the last build.
 * Each file that compresses is stored compressed as well, since the server compresses nothing while it runs.
 */
import { readdirSync, statSync } from 'node:fs';
import { readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { readShellParts, shellParts } from './shell-parts.js';
import { withoutNode } from './without-node.js';

const plugin = fileURLToPath(new URL('../../../', import.meta.url));
const target = join(plugin, 'dist', 'page');
/** A folder of its own while it is built: a server that starts meanwhile finds the old page whole. */
const fresh = join(plugin, 'dist', 'page-fresh');
const plugins = join(plugin, '..');
const parts = readShellParts(plugins);
/** What the shell takes from other packages is as new as their last compilation. */
const compiled = [...new Set(['lib-commands', 'lib-engine-commands', 'lib-operations', 'lib-shell', ...parts.map(part => part.folder)])];
const sources = [
  ...['page', 'src', 'package.json'].map(name => join(plugin, name)),
  ...compiled.flatMap(folder => [join(plugins, folder, 'package.json'), join(plugins, folder, 'dist', '.tsbuildinfo')]),
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
  const assets = join(fresh, 'assets');
  for (const name of await readdir(assets)) {
    if (!/\.(?:js|css|svg|wasm)$/.test(name)) continue;
    const content = await readFile(join(assets, name));
    await writeFile(join(assets, `${name}.br`), brotliCompressSync(content));
    await writeFile(join(assets, `${name}.gz`), gzipSync(content, { level: 9 }));
  }
  await rm(target, { recursive: true, force: true });
  await rename(fresh, target);
}

/** Milliseconds of the latest change below the paths; 0 where nothing is there. */
function newest(paths: readonly string[]): number {
  const times = paths.map(path => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return 0;
    return found.isDirectory() ? newest(readdirSync(path).map(name => join(path, name))) : found.mtimeMs;
  });
  return Math.max(0, ...times);
}

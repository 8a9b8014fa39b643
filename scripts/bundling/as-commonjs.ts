/**
 * Makes the files of a bundle CommonJS modules, which Node.js finds, links and runs in half the time, and has them load large
 * modules of Node.js when they use them first: a run of `cli` needs few of them.
 */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { requireBanner } from './write-bundle.js';
import type { Plugin } from 'esbuild';

/** Without those that are functions or classes themselves, or are extended by classes, such as `node:events`. */
const large = [
  'child_process',
  'crypto',
  'dns',
  'fs/promises',
  'http',
  'http2',
  'https',
  'net',
  'readline',
  'readline/promises',
  'repl',
  'stream/consumers',
  'stream/promises',
  'timers/promises',
  'tls',
  'vm',
  'worker_threads',
  'zlib',
];

/** Members of a module that are read are found in the prototype, which loads it. That it was not compiled from one is known without. */
const prologue = [
  "const bundleUrl=require('node:url').pathToFileURL(__filename).href;",
  'const later=name=>{let loaded;return Object.create(new Proxy({},{',
  'get:(_,member)=>member==="__esModule"?undefined:(loaded??=require(name))[member]}))};',
].join('');

/** The same for packages in CommonJS, whose calls of `require` the bundle hides in a function of its own. */
export const largeLater: Plugin = {
  name: 'large modules later',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^(?:node:)?(?:${large.join('|')})$`) }, ({ path, kind }) =>
      kind === 'require-call' ? { path, namespace: 'later' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'later' }, ({ path }) => ({ contents: `module.exports = later(${JSON.stringify(path)});` }));
  },
};

export async function makeCommonJs(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter(name => name.endsWith('.js'));
  for (const name of files) {
    const file = join(folder, name);
    const source = (await readFile(file, 'utf8')).replace(requireBanner, '');
    const { code } = await transform(source, {
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      minify: true,
      define: { 'import.meta.url': 'bundleUrl' },
    });
    await writeFile(file, prologue + withRequire(code));
  }
  await writeFile(join(folder, 'package.json'), '{"type":"commonjs"}');
}

function withRequire(code: string): string {
  return code
    .replaceAll(/\bimport\(("\.\/[\w-]+\.js")\)/g, 'Promise.resolve().then(()=>require($1))')
    .replaceAll(new RegExp(`\\brequire\\(("(?:node:)?(?:${large.join('|')})")\\)`, 'g'), 'later($1)');
}

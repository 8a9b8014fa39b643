/**
 * Makes the files of a bundle CommonJS modules, which Node.js finds, links and runs in half the time, and has them load large
 * modules of Node.js when they use them first: a run of `cli` needs few of them.
 */
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
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

/** The files that `main.js` needs from the start, in one: to find and read a file takes longer than to run most of them. */
const core = './core.js';

export async function makeCommonJs(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter(name => name.endsWith('.js'));
  const files = new Map<string, string>();
  await Promise.all(names.map(async name => files.set(`./${name}`, await commonJsOf(join(folder, name)))));
  const joined = neededFrom('./main.js', files);
  const finished = (code: string, part: string): string => withParts(withRequire(code), joined, part);
  const parts = [...joined].map(
    name => `${JSON.stringify(name)}:(function(exports,module){${finished(files.get(name) ?? '', 'part')}}),\n`,
  );
  await writeFile(join(folder, core), `${prologue}const parts={\n${parts.join('')}};${partLoader}`);
  for (const [name, code] of files) {
    const file = join(folder, name);
    if (joined.has(name)) await rm(file);
    else await writeFile(file, prologue + finished(code, `require(${JSON.stringify(core)})`));
  }
  await writeFile(join(folder, 'package.json'), '{"type":"commonjs"}');
}

async function commonJsOf(file: string): Promise<string> {
  const source = (await readFile(file, 'utf8')).replace(requireBanner, '');
  const { code } = await transform(source, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minify: true,
    define: { 'import.meta.url': 'bundleUrl' },
  });
  return code;
}

const requireCall = /\brequire\(("(\.\/[\w-]+\.js)")\)/g;

/** Files that run before the first line of `entry`. Those that are imported later are asked for by `import()`. */
function neededFrom(entry: string, files: ReadonlyMap<string, string>): ReadonlySet<string> {
  const needed = new Set<string>();
  const visit = (name: string): void => {
    for (const [, , found = ''] of (files.get(name) ?? '').matchAll(requireCall)) {
      if (needed.has(found)) continue;
      needed.add(found);
      visit(found);
    }
  };
  visit(entry);
  return needed;
}

/** As `require` does: a part runs once, and one that is asked for while it runs gives what it has so far. */
const partLoader = [
  'const made={};const part=module.exports=name=>{',
  'let module=made[name];if(module===undefined){module=made[name]={exports:{}};parts[name](module.exports,module)}',
  'return module.exports};',
].join('');

/** @param part what gives a part by its name. */
function withParts(code: string, joined: ReadonlySet<string>, part: string): string {
  return code.replaceAll(requireCall, (call, quoted: string, name: string) => (joined.has(name) ? `${part}(${quoted})` : call));
}

function withRequire(code: string): string {
  return code
    .replaceAll(/\bimport\(("\.\/[\w-]+\.js")\)/g, 'Promise.resolve().then(()=>require($1))')
    .replaceAll(new RegExp(`\\brequire\\(("(?:node:)?(?:${large.join('|')})")\\)`, 'g'), 'later($1)');
}

/** Builds the page part: `node dist/src/build/bundle.js`. Does nothing when no source is newer than the last build. */
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compressFiles, newest } from '@srv/lib-page';
import { build } from 'vite';

const plugin = fileURLToPath(new URL('../../../', import.meta.url));
const page = join(plugin, 'page');
const target = join(plugin, 'dist', 'page');
/** A folder of its own while it is built: a server that starts meanwhile finds the old part whole. */
const fresh = join(plugin, 'dist', 'page-fresh');
const assets = join(fresh, 'assets');
/** For browsers with WebAssembly exceptions, which all have had since 2022. */
const engine = createRequire(import.meta.url).resolve('@duckdb/duckdb-wasm/dist/duckdb-eh.wasm');

if (newest(['page', 'src', 'package.json'].map(name => join(plugin, name))) > newest([join(target, 'part.js')])) await bundle();

async function bundle(): Promise<void> {
  await rm(fresh, { recursive: true, force: true });
  await mkdir(assets, { recursive: true });
  const wasm = `duckdb-eh-${createHash('sha256')
    .update(await readFile(engine))
    .digest('base64url')
    .slice(0, 10)}.wasm`;
  await copyFile(engine, join(assets, wasm));
  const worker = await bundleModule('worker/worker.ts', assets, 'worker-[hash].js', {});
  const view = await bundleModule('view.tsx', assets, 'view-[hash].js', { WORKER_FILE: worker, WASM_FILE: wasm });
  await bundleModule('part.ts', fresh, 'part.js', { VIEW_FILE: view });
  await compressFiles(assets);
  await rm(target, { recursive: true, force: true });
  await rename(fresh, target);
}

/** @param names constants to fill in. @returns name of the one file it becomes. */
async function bundleModule(source: string, folder: string, name: string, names: Readonly<Record<string, string>>): Promise<string> {
  const built = await build({
    configFile: false,
    root: page,
    logLevel: 'warn',
    publicDir: false,
    define: Object.fromEntries(Object.entries(names).map(([constant, value]) => [constant, JSON.stringify(value)])),
    resolve: {
      alias: {
        'preact/jsx-runtime': join(page, 'without-preact', 'jsx-runtime.ts'),
        'preact/hooks': join(page, 'without-preact', 'hooks.ts'),
      },
    },
    esbuild: { jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none' },
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: 'es2022',
      minify: 'esbuild',
      reportCompressedSize: false,
      lib: { entry: join(page, source), formats: ['es'] },
      rollupOptions: {
        output: { entryFileNames: name, inlineDynamicImports: true },
        // The engine asks for modules of Node.js by eval, where there is Node.js.
        onwarn: (warning, warn) => (warning.code === 'EVAL' ? undefined : warn(warning)),
      },
    },
  });
  const [output] = [built].flat();
  const file = output && 'output' in output ? output.output[0].fileName : undefined;
  if (file === undefined) throw new Error(`${source} became no file`);
  return file;
}

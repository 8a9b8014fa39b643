/** Builds the page part: `node dist/src/build/bundle.js`. Does nothing when no source is newer than the last build. */
import { createHash } from 'node:crypto';
import { copyFile, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPart } from '@srv/lib-page';

const plugin = fileURLToPath(new URL('../../../', import.meta.url));
/** For browsers with WebAssembly exceptions, which all have had since 2022. */
const engine = createRequire(import.meta.url).resolve('@duckdb/duckdb-wasm/dist/duckdb-eh.wasm');

await buildPart(plugin, { addAssets });

async function addAssets(assets: string): Promise<Readonly<Record<string, string>>> {
  const hash = createHash('sha256')
    .update(await readFile(engine))
    .digest('base64url')
    .slice(0, 10);
  const wasm = `duckdb-eh-${hash}.wasm`;
  await copyFile(engine, join(assets, wasm));
  return { WASM_FILE: wasm, WORKER_FILE: await bundleWorker(assets) };
}

/** @returns name of the one file that the engine's worker becomes. */
async function bundleWorker(assets: string): Promise<string> {
  const { build } = await import('vite');
  const built = await build({
    configFile: false,
    root: join(plugin, 'page'),
    logLevel: 'warn',
    publicDir: false,
    esbuild: { legalComments: 'none' },
    build: {
      outDir: assets,
      emptyOutDir: false,
      target: 'es2022',
      minify: 'esbuild',
      reportCompressedSize: false,
      lib: { entry: join(plugin, 'page', 'worker', 'worker.ts'), formats: ['es'] },
      rollupOptions: {
        output: { entryFileNames: 'worker-[hash].js', inlineDynamicImports: true },
        // The engine asks for modules of Node.js by eval, where there is Node.js.
        onwarn: (warning, warn) => (warning.code === 'EVAL' ? undefined : warn(warning)),
      },
    },
  });
  const [output] = [built].flat();
  const file = output && 'output' in output ? output.output[0].fileName : undefined;
  if (file === undefined) throw new Error('the worker became no file');
  return file;
}

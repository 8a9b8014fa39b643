/**
 * Builds the page part of a plugin: `page/index.ts` describes it, and each module it names becomes a file that is loaded when it
 * is drawn. Writes `dist/part/page.json`, and the files into `dist/part/assets` with their compressed forms. Does nothing when no
 * source is newer than the last build.
 */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compressFiles } from './compress-files.js';
import { newest } from './newest.js';
import { sharedModules } from './shared-modules.js';
import type { InlineConfig, Plugin, Rollup } from 'vite';
import type { BuiltDescription, PageDescription } from '../description.js';

interface PartOptions {
  /** Constants to fill in, by name. */
  readonly define?: Readonly<Record<string, string>>;
  /** Writes further files. @returns constants that name them. */
  readonly addAssets?: (assets: string) => Promise<Readonly<Record<string, string>>>;
}

/** This package: a part is built again when its builder changes. */
const builder = fileURLToPath(new URL('../../.tsbuildinfo', import.meta.url));

/** @param plugin folder of the package, whose TypeScript is compiled. */
export async function buildPart(plugin: string, { define = {}, addAssets }: PartOptions = {}): Promise<void> {
  const target = join(plugin, 'dist', 'part');
  const sources = [builder, ...['page', 'src', 'package.json'].map(name => join(plugin, name))];
  if (newest(sources) <= newest([join(target, 'page.json')])) return;
  /** A folder of its own while it is built: a server that starts meanwhile finds the old part whole. */
  const fresh = join(plugin, 'dist', 'part-fresh');
  const assets = join(fresh, 'assets');
  await rm(fresh, { recursive: true, force: true });
  await mkdir(assets, { recursive: true });
  const { default: description } = (await import(pathToFileURL(join(plugin, 'dist', 'page', 'index.js')).href)) as {
    readonly default: PageDescription;
  };
  const names = { ...define, ...(await addAssets?.(assets)) };
  const files = await bundle(join(plugin, 'page'), assets, modulesOf(description), names);
  await compressFiles(assets);
  await writeFile(join(fresh, 'page.json'), JSON.stringify(withFiles(description, files)));
  await rm(target, { recursive: true, force: true });
  await rename(fresh, target);
}

/** The files that modules became. */
interface Files {
  of(module: string): string;
  /** Style sheets that a module needs. */
  stylesOf(module: string): readonly string[];
}

async function bundle(page: string, assets: string, modules: readonly string[], define: Readonly<Record<string, string>>): Promise<Files> {
  const { build, transformWithEsbuild } = await import('vite');
  const minify: Plugin = {
    name: 'minify',
    // The bundler keeps white space in libraries.
    renderChunk: {
      order: 'post',
      handler: (code, { fileName }) => transformWithEsbuild(code, fileName, { minify: true, sourcemap: false }),
    },
  };
  const options: InlineConfig = {
    configFile: false,
    root: page,
    // Addresses relative to the file they are in: the page may stand below a prefix.
    base: './',
    logLevel: 'warn',
    publicDir: false,
    define: Object.fromEntries(Object.entries(define).map(([name, value]) => [name, JSON.stringify(value)])),
    plugins: [sharedModules(), minify],
    esbuild: { jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none' },
    build: {
      outDir: assets,
      emptyOutDir: false,
      target: 'es2022',
      minify: false,
      cssMinify: true,
      cssCodeSplit: true,
      reportCompressedSize: false,
      lib: { entry: modules.map(module => join(page, module)), formats: ['es'] },
      rollupOptions: {
        output: { entryFileNames: '[name]-[hash].js', chunkFileNames: '[name]-[hash].js', assetFileNames: '[name]-[hash][extname]' },
      },
    },
  };
  const [{ output }] = (await build(options)) as [Rollup.RollupOutput];
  const chunks = output.flatMap(each => (each.type === 'chunk' ? [each] : []));
  const chunkOf = (module: string): Rollup.OutputChunk => {
    const found = chunks.find(({ facadeModuleId }) => facadeModuleId === join(page, module));
    if (!found) throw new Error(`${module} became no file`);
    return found;
  };
  const stylesOf = (chunk: Rollup.OutputChunk): readonly string[] => [
    ...chunk.imports.flatMap(name => chunks.filter(({ fileName }) => fileName === name).flatMap(stylesOf)),
    ...(chunk.viteMetadata?.importedCss ?? []),
  ];
  return { of: module => chunkOf(module).fileName, stylesOf: module => [...new Set(stylesOf(chunkOf(module)))] };
}

type Rename = (module: string) => string;

function modulesOf(description: PageDescription): readonly string[] {
  const found = new Set<string>();
  mapModules(description, module => {
    found.add(module);
    return module;
  });
  return [...found];
}

function withFiles(description: PageDescription, files: Files): BuiltDescription {
  const styles = modulesOf(description).map(module => [files.of(module), files.stylesOf(module)] as const);
  return { ...mapModules(description, files.of), styles: Object.fromEntries(styles.filter(([, names]) => names.length > 0)) };
}

function mapModules(description: PageDescription, to: Rename): PageDescription {
  const { tabs, pages, viewers, panels, actions, guards, finders, comparisons, refusals } = description;
  const view = <T extends { readonly view: string }>(each: T): T => ({ ...each, view: to(each.view) });
  return {
    tabs: tabs?.map(view),
    pages: pages?.map(view),
    viewers: viewers?.map(view),
    panels: panels?.map(view),
    actions: actions?.map(each => (each.dialog === undefined ? each : { ...each, dialog: to(each.dialog) })),
    guards: guards?.map(to),
    finders: finders?.map(to),
    comparisons: comparisons?.map(view),
    refusals: refusals?.map(view),
  };
}

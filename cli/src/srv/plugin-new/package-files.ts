/** The files that make a new plugin a package. */
import { relative } from 'node:path';
import { pluginApi } from '@srv/kernel';
import { dependencyOn, usedPackages } from './place.js';
import type { PluginLocation } from './place.js';

/** What a package of its own is built with; a workspace has them already. */
export const tools = { '@types/node': '20.19.43', typescript: '7.0.2' } as const;

/** As those of the workspace; a package of its own spells them out. */
const compilerOptions = {
  target: 'ES2023',
  lib: ['ES2023'],
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  types: ['node'],
  strict: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: true,
  sourceMap: true,
  declaration: true,
  rootDir: '.',
  outDir: 'dist',
};

export function packageJson(name: string, place: PluginLocation): string {
  const alone = place.workspace === undefined;
  return json({
    name: alone ? `srv-plugin-${name}` : `@srv/${name}`,
    version: '0.1.0',
    description: `The plugin ${name}`,
    license: 'Apache-2.0',
    keywords: ['srv-plugin'],
    type: 'module',
    engines: { node: '>=20' },
    files: ['dist/src', 'README.md'],
    srv: {
      api: pluginApi,
      name,
      layer: 'features',
      config: './dist/src/config.js',
      server: './dist/src/server/index.js',
      cli: './dist/src/cli/index.js',
    },
    ...(alone ? { scripts: { build: 'tsc', prepare: 'tsc', pretest: 'tsc', test: `node --test dist/test/${name}.test.js` } } : {}),
    dependencies: Object.fromEntries(usedPackages.map(used => [used, dependencyOn(used, place)])),
    ...(alone ? { devDependencies: tools } : {}),
  });
}

export function tsconfig({ folder, workspace }: PluginLocation): string {
  if (workspace === undefined) return settings({ compilerOptions, include: ['src', 'test'] });
  const root = relative(folder, workspace);
  return settings({
    extends: `${root}/tsconfig.json`,
    compilerOptions: { rootDir: '.', outDir: 'dist', tsBuildInfoFile: 'dist/.tsbuildinfo' },
    include: ['src', 'test'],
    references: [{ path: `${root}/kernel` }, { path: '../lib-commands' }],
  });
}

/** In a package of its own: what is made is not kept under version control. */
export const gitignore = 'node_modules/\ndist/\n';

/** A tsconfig.json as formatters leave it: lists of words on one line. */
export function settings(value: unknown): string {
  return json(value).replace(
    /\[\s+("[^[\]{}]*")\s+\]/g,
    (_, words: string) =>
      `[${words
        .split('\n')
        .map(word => word.trim())
        .join(' ')}]`,
  );
}

/** As npm writes package.json. */
function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

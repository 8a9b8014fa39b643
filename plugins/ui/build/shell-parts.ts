/**
 * The shell parts of the plugins beside this one, for the bundler: a module that loads each when its plugin is on. Which there
 * are is read from their manifests, so that a new plugin needs no line here.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** The module that is filled in. */
const name = '/page/shell/bundled-parts.ts';

interface Part {
  readonly plugin: string;
  /** Name of the package's folder. */
  readonly folder: string;
  /** Absolute; absent: its commands run in `cli` only. */
  readonly module?: string;
  readonly words: readonly string[];
}

/** @param plugins folder of plugin packages. */
export function readShellParts(plugins: string): readonly Part[] {
  return readdirSync(plugins, { withFileTypes: true })
    .filter(entry => entry.isDirectory() && existsSync(join(plugins, entry.name, 'package.json')))
    .flatMap(({ name: folder }): Part[] => {
      const { srv } = JSON.parse(readFileSync(join(plugins, folder, 'package.json'), 'utf8')) as {
        readonly srv?: { readonly name?: string; readonly cli?: string; readonly shell?: string; readonly commands?: readonly string[] };
      };
      if (srv?.name === undefined || (srv.cli ?? srv.shell) === undefined) return [];
      const module = srv.shell === undefined ? {} : { module: join(plugins, folder, srv.shell) };
      return [{ plugin: srv.name, folder, words: srv.commands ?? [], ...module }];
    });
}

export function shellParts(parts: readonly Part[]): Plugin {
  const here = parts.flatMap(({ plugin, module }) =>
    module === undefined ? [] : [`${JSON.stringify(plugin)}: () => import(${JSON.stringify(module)})`],
  );
  const elsewhere = parts.flatMap(({ plugin, module, words }) => (module === undefined ? words.map(word => [word, plugin]) : []));
  return {
    name: 'shell-parts',
    load: id =>
      id.endsWith(name)
        ? `export const bundled = {${here.join(',')}};\nexport const elsewhere = ${JSON.stringify(Object.fromEntries(elsewhere))};`
        : undefined,
  };
}

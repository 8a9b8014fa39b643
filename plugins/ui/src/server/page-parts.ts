/** Modules that plugins name as `page` and `shell` in their manifests. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SrvError, messageOf } from '@srv/kernel';
import type { Logger, Manifest } from '@srv/kernel';
import type { BuiltDescription } from '@srv/lib-page';
import type { Assets } from './assets.js';

/** A module, by the name it is served under, or a description. */
export interface PagePartFile {
  readonly plugin: string;
  readonly file?: string;
  readonly description?: BuiltDescription;
}

/** The bundler takes the shell parts of the packages beside this one into the page. */
const bundledFrom = fileURLToPath(new URL('../../../../', import.meta.url)).replace(/[/\\]$/, '');

interface Candidate {
  readonly manifest: Manifest;
  readonly offBecause?: unknown;
}

/** Commands of a plugin for the shell: bundled with the page, or in a file of their own. */
interface ShellPartFile {
  readonly plugin: string;
  readonly file?: string;
}

export interface ShellFiles {
  readonly parts: readonly ShellPartFile[];
  /** First words of commands that run in `cli` only, with their plugins. */
  readonly elsewhere: Readonly<Record<string, string>>;
}

/** A part that cannot be read is left out, and the log says so: the shell works without it. */
export async function readShellParts(plugins: readonly Candidate[], assets: Assets, log: Logger): Promise<ShellFiles> {
  const parts: ShellPartFile[] = [];
  const elsewhere: Record<string, string> = {};
  for (const { manifest, offBecause } of plugins) {
    const { name, entries, folder, commands: words = [] } = manifest;
    if (offBecause !== undefined) continue;
    if (entries.shell === undefined) {
      if (entries.cli !== undefined) for (const word of words) elsewhere[word] = name;
    } else if (dirname(folder) === bundledFrom) parts.push({ plugin: name });
    else {
      try {
        parts.push({ plugin: name, file: await assets.add(`shell-${name}`, 'js', await readFile(entries.shell)) });
      } catch (error) {
        const err = new SrvError('plugin', `the shell part of plugin ${name} cannot be read from ${entries.shell}: ${messageOf(error)}`);
        log.error({ err, plugin: name }, 'shell part skipped');
      }
    }
  }
  return { parts, elsewhere };
}

/** A part that cannot be read is left out, and the log says so: the page works without it. */
export async function readPageParts(plugins: readonly Candidate[], assets: Assets, log: Logger): Promise<readonly PagePartFile[]> {
  const read = await Promise.all(
    plugins.map(async ({ manifest: { name, entries }, offBecause }): Promise<readonly PagePartFile[]> => {
      if (offBecause !== undefined || entries.page === undefined) return [];
      try {
        const content = await readFile(entries.page);
        const part = entries.page.endsWith('.json')
          ? { description: JSON.parse(content.toString('utf8')) as BuiltDescription }
          : { file: await assets.add(`part-${name}`, 'js', content) };
        await assets.addFolder(name, join(dirname(entries.page), 'assets'));
        return [{ plugin: name, ...part }];
      } catch (error) {
        const err = new SrvError('plugin', `the page part of plugin ${name} cannot be read from ${entries.page}: ${messageOf(error)}`);
        log.error({ err, plugin: name }, 'page part skipped');
        return [];
      }
    }),
  );
  return read.flat();
}

/** Modules that plugins name as `page` in their manifests. */
import { readFile } from 'node:fs/promises';
import { SrvError, messageOf } from '@srv/kernel';
import type { Logger, Manifest } from '@srv/kernel';
import type { Assets } from './assets.js';

/** One module, by the name it is served under. */
export interface PagePartFile {
  readonly plugin: string;
  readonly file: string;
}

interface Candidate {
  readonly manifest: Manifest;
  readonly offBecause?: unknown;
}

/** A part that cannot be read is left out, and the log says so: the page works without it. */
export async function readPageParts(plugins: readonly Candidate[], assets: Assets, log: Logger): Promise<readonly PagePartFile[]> {
  const found: PagePartFile[] = [];
  for (const { manifest, offBecause } of plugins) {
    const { name, entries } = manifest;
    if (offBecause !== undefined || entries.page === undefined) continue;
    try {
      found.push({ plugin: name, file: await assets.add(`part-${name}`, 'js', await readFile(entries.page)) });
    } catch (error) {
      const err = new SrvError('plugin', `the page part of plugin ${name} cannot be read from ${entries.page}: ${messageOf(error)}`);
      log.error({ err, plugin: name }, 'page part skipped');
    }
  }
  return found;
}

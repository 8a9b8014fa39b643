/** The files of a LevelDB folder, by kind. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface DatabaseFiles {
  readonly folder: string;
  /** File names, oldest first. */
  readonly tables: readonly string[];
  readonly logs: readonly string[];
  readonly manifests: readonly string[];
  /** The manifest that `CURRENT` names; or what is wrong with `CURRENT`. */
  readonly current: { readonly manifest: string } | { readonly fault: string; readonly isMissing: boolean };
}

/** Where logs that lost records are kept; LevelDB deletes a log once it has read it. */
export const lostFolder = 'lost';

export async function databaseFiles(folder: string): Promise<DatabaseFiles> {
  const names = await readdir(folder);
  const matching = (pattern: RegExp): string[] => names.filter(name => pattern.test(name)).sort((a, b) => numberOf(a) - numberOf(b));
  const manifests = matching(/^MANIFEST-\d+$/);
  return {
    folder,
    tables: matching(/^\d+\.(ldb|sst)$/),
    logs: matching(/^\d+\.log$/),
    manifests,
    current: await readCurrent(folder, names, manifests),
  };
}

/** Every file that holds records or says which ones do. */
export function dataFiles({ tables, logs, manifests }: DatabaseFiles): readonly string[] {
  return [...tables, ...logs, ...manifests];
}

/** The number in the name of a table, log or manifest. Of two logs the greater one is the newer. */
export function numberOf(name: string): number {
  return Number.parseInt(name.replace(/^MANIFEST-/, ''), 10);
}

async function readCurrent(folder: string, names: readonly string[], manifests: readonly string[]): Promise<DatabaseFiles['current']> {
  if (!names.includes('CURRENT')) return { fault: 'the file CURRENT is missing', isMissing: true };
  const text = await readFile(join(folder, 'CURRENT'), 'latin1');
  const manifest = /^(MANIFEST-\d+)\n$/.exec(text)?.[1];
  if (manifest === undefined) return { fault: 'the file CURRENT does not name a manifest', isMissing: false };
  if (!manifests.includes(manifest)) return { fault: `the file CURRENT names ${manifest}, which is missing`, isMissing: false };
  return { manifest };
}

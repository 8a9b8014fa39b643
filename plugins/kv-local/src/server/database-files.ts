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

export async function databaseFiles(folder: string): Promise<DatabaseFiles> {
  const names = (await readdir(folder)).sort();
  const manifests = names.filter(name => /^MANIFEST-\d+$/.test(name));
  return {
    folder,
    tables: names.filter(name => /^\d+\.(ldb|sst)$/.test(name)),
    logs: names.filter(name => /^\d+\.log$/.test(name)),
    manifests,
    current: await readCurrent(folder, names, manifests),
  };
}

/** Every file that holds records or says which ones do. */
export function dataFiles({ tables, logs, manifests }: DatabaseFiles): readonly string[] {
  return [...tables, ...logs, ...manifests];
}

async function readCurrent(folder: string, names: readonly string[], manifests: readonly string[]): Promise<DatabaseFiles['current']> {
  if (!names.includes('CURRENT')) return { fault: 'the file CURRENT is missing', isMissing: true };
  const text = await readFile(join(folder, 'CURRENT'), 'latin1');
  const manifest = /^(MANIFEST-\d+)\n$/.exec(text)?.[1];
  if (manifest === undefined) return { fault: 'the file CURRENT does not name a manifest', isMissing: false };
  if (!manifests.includes(manifest)) return { fault: `the file CURRENT names ${manifest}, which is missing`, isMissing: false };
  return { manifest };
}

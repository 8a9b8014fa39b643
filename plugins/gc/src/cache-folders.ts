/** Folders of repositories in `gc.cache_dir`, and those that deleted repositories have left there. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { xidSeconds } from '@srv/lib-records';
import { foreignAgeMs } from '@srv/lib-records/owned-folder';

/** Names of the folders that are named as repositories are by their ids. */
export async function foldersIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter(name => xidSeconds(name) !== undefined);
}

/**
 * Removes folders whose repositories do not exist, once no run has used them for a day: servers of other databases may share
 * the folder.
 */
export async function removeLeftFolders(cacheDir: string, names: Iterable<string>): Promise<void> {
  for (const name of names) {
    const folder = join(cacheDir, name);
    if (Date.now() - (await usedAt(folder)) > foreignAgeMs) await rm(folder, { recursive: true, force: true });
  }
}

/** When a run began or ended, or made a file: milliseconds since 1970. */
async function usedAt(folder: string): Promise<number> {
  const runs = join(folder, 'runs');
  const underWay = (await readdir(runs).catch(() => [])).map(run => join(runs, run));
  const times = await Promise.all(
    [folder, runs, ...underWay].map(path =>
      stat(path).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  return Math.max(...times);
}

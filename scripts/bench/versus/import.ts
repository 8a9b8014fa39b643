/** Import of a local folder: what is in it, and how it is asked for. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repository } from './work.js';
import type { Side } from './side.js';

/** Milliseconds between questions after an import. */
const pause = 10;
/** Files of a subfolder. */
const folderSize = 1000;

/** Makes a folder of this many small files, a thousand to a subfolder. */
export async function writeFiles(folder: string, count: number): Promise<void> {
  for (let first = 0; first < count; first += folderSize) {
    const group = join(folder, String(first / folderSize));
    await mkdir(group, { recursive: true });
    const files = Array.from({ length: Math.min(folderSize, count - first) }, (_, i) => first + i);
    await Promise.all(files.map(i => writeFile(join(group, `file-${i}`), `content of ${i}`)));
  }
}

/** Imports the folder into the branch. Returns when the server says that it is done. */
export async function importFolder(side: Side, branch: string, folder: string): Promise<void> {
  const path = `${repository}/branches/${branch}/import`;
  const paths = [{ path: `local://${folder}/`, destination: 'imported/', type: 'common_prefix' }];
  const { id } = await side.call('POST', path, { paths, commit: { message: 'import' } });
  for (;;) {
    const status = await side.call('GET', `${path}?id=${String(id)}`);
    if (status.error) throw new Error(`${side.name}: ${JSON.stringify(status.error)}`);
    if (status.completed === true) return;
    await sleep(pause);
  }
}

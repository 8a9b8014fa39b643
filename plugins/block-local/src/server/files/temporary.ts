/** Unfinished files: `<base>/.srv-tmp/<host>-<process>-<random>/`, a folder per store. */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './file-name.js';
import { foreignAgeMs, ownFolderName, ownerOf } from './owned-folder.js';

export class TemporaryFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Removes what crashed processes left below `base` and makes a folder of our own. */
  static async open(base: string): Promise<TemporaryFolder> {
    const parent = join(base, temporaryFolder);
    await mkdir(parent, { recursive: true, mode: 0o700 });
    for (const name of await readdir(parent)) {
      if (await isLeftOver(parent, name)) await rm(join(parent, name), { recursive: true, force: true });
    }
    const path = join(parent, ownFolderName());
    await mkdir(path, { mode: 0o700 });
    return new TemporaryFolder(path);
  }

  async close(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

async function isLeftOver(parent: string, name: string): Promise<boolean> {
  // Undefined: another server that starts now was quicker.
  const owner = await ownerOf(parent, name);
  return owner?.state === 'dead' || (owner?.state === 'unknown' && Date.now() - owner.touchedMs > foreignAgeMs);
}

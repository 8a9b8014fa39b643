/** Unfinished files: `<base>/.srv-tmp/<host>-<process>-<random>/`, a folder per store. */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isLeftOver, keepOwnFolder, ownFolderName } from '@srv/lib-records/owned-folder';
import { temporaryFolder } from './file-name.js';

/** Where files are written before they get their name. */
export interface Drafting {
  readonly path: string;
  /** Whether they are on the disk before. */
  readonly syncs: boolean;
}

export class TemporaryFolder implements Drafting {
  readonly path: string;
  readonly syncs: boolean;
  readonly #endKeeping: () => Promise<void>;

  private constructor(path: string, syncs: boolean) {
    this.path = path;
    this.syncs = syncs;
    this.#endKeeping = keepOwnFolder(path);
  }

  /** Removes what crashed processes left below `base` and makes a folder of our own. */
  static async open(base: string, syncs: boolean): Promise<TemporaryFolder> {
    const parent = join(base, temporaryFolder);
    await mkdir(parent, { recursive: true, mode: 0o700 });
    for (const name of await readdir(parent)) {
      if (await isLeftOver(parent, name)) await rm(join(parent, name), { recursive: true, force: true });
    }
    const path = join(parent, ownFolderName());
    await mkdir(path, { mode: 0o700 });
    return new TemporaryFolder(path, syncs);
  }

  async close(): Promise<void> {
    await this.#endKeeping();
    await rm(this.path, { recursive: true, force: true });
  }
}

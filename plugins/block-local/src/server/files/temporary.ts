/** Unfinished files: `<base>/.srv-tmp/<host>-<process>-<random>/`, a folder per store. */
import { mkdir, readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { isLeftOver, ownFolderName } from '@srv/lib-records/owned-folder';
import { codeOf } from './error-codes.js';
import { temporaryFolder } from './file-name.js';

/** Milliseconds between two signs that the folder is in use; a folder without them for a day is removed by other machines. */
const beatMs = 60_000;

/** Where files are written before they get their name. */
export interface Drafting {
  readonly path: string;
  /** Whether they are on the disk before. */
  readonly syncs: boolean;
}

export class TemporaryFolder implements Drafting {
  readonly path: string;
  readonly syncs: boolean;
  readonly #beat: NodeJS.Timeout;
  #keeping: Promise<void> = Promise.resolve();

  private constructor(path: string, syncs: boolean) {
    this.path = path;
    this.syncs = syncs;
    this.#beat = setInterval(() => {
      this.#keeping = this.#keeping.then(() => keep(path));
    }, beatMs).unref();
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
    clearInterval(this.#beat);
    await this.#keeping;
    await rm(this.path, { recursive: true, force: true });
  }
}

/** Shows that the folder is in use, and makes it again if it was removed. Never rejects: writes report a fault of the disk. */
async function keep(path: string): Promise<void> {
  const now = new Date();
  try {
    await utimes(path, now, now);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') await mkdir(path, { recursive: true, mode: 0o700 }).catch(() => undefined);
  }
}

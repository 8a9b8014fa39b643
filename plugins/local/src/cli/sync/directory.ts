/** Changes files of a linked directory, each atomically, and only if they are unchanged since the comparison. */

import { chmod, chown, mkdir, readdir, rm, rmdir, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FolderMaker, defaultPermissions, stampAt, targetPath, temporaryFor } from '@srv/engine/transfer';
import { replaceFile } from '@srv/lib-commands';
import type { LocalEntry, PosixMode } from '@srv/engine/transfer';
import type { RemoteEntry } from './remote-tree.js';

export class LinkedDirectory {
  readonly root: string;
  readonly #posix: PosixMode;
  #folders: FolderMaker;

  constructor(root: string, posix: PosixMode) {
    this.root = root;
    this.#posix = posix;
    this.#folders = new FolderMaker(root);
  }

  /**
   * @param known what was there before; anything else is not replaced.
   * @param write fills a temporary file.
   */
  async replace(entry: RemoteEntry, known: LocalEntry | undefined, write: (file: string) => Promise<void>): Promise<void> {
    const place = targetPath(this.root, entry.path);
    await this.#folders.prepare(place);
    const fill = async (temporary: string): Promise<void> => {
      await write(temporary);
      if (entry.link === undefined) {
        await this.#dress(temporary, entry);
        // As text: a negative number would set the present time, and a Date has a smaller range.
        const time = String(entry.mtime);
        await utimes(temporary, time, time);
      }
      if (known === undefined) await removeEmptyTree(place);
      await checkUntouched(place, known);
    };
    await replaceFile(place, fill, temporaryFor(place));
  }

  /** Only in POSIX mode are folders things of their own. */
  async makeFolder(entry: RemoteEntry): Promise<void> {
    const place = targetPath(this.root, entry.path.slice(0, -1));
    await this.#folders.prepare(join(place, 'x'));
    await mkdir(place, { recursive: true });
    await this.#dress(place, entry);
  }

  /** Removes a file and the folders that this leaves empty. @param keep folders that are things of their own. */
  async remove(known: LocalEntry, keep: ReadonlySet<string>): Promise<void> {
    const place = join(this.root, known.path);
    if (known.kind === 'folder') await removeEmpty(place);
    else {
      await checkUntouched(place, known);
      await rm(place, { force: true });
    }
    for (let at = dirname(place); at !== this.root && at.startsWith(this.root); at = dirname(at)) {
      if (keep.has(`${at.slice(this.root.length + 1)}/`) || !(await removeEmpty(at))) break;
    }
    // Folders may be gone that were there before.
    this.#folders = new FolderMaker(this.root);
  }

  async #dress(place: string, entry: RemoteEntry): Promise<void> {
    if (!this.#posix.enabled) return;
    const { mode, uid, gid } = entry.permissions ?? defaultPermissions(entry.path.endsWith('/'));
    if (this.#posix.uid || this.#posix.gid) await chown(place, this.#posix.uid ? uid : -1, this.#posix.gid ? gid : -1);
    await chmod(place, mode & 0o7777);
  }
}

async function checkUntouched(place: string, known: LocalEntry | undefined): Promise<void> {
  if ((await stampAt(place)) !== known?.stamp)
    throw new Error(`${place} changed while this command ran and was not touched; run the command again`);
}

/** Folders without files are nothing that could be lost. */
async function removeEmptyTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (entries === undefined) return;
  for (const entry of entries) if (entry.isDirectory()) await removeEmptyTree(join(folder, entry.name));
  await removeEmpty(folder);
}

/** @returns whether it is gone. */
async function removeEmpty(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return true;
      if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false;
      throw error;
    },
  );
}

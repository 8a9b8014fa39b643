/** Folders and names that are there after a power failure. */
import { mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from './error-codes.js';
import { unless } from './file-errors.js';
import type { Roots } from './roots.js';

/** @bound folders known to be on the disk */
const maxMade = 10_000;

/** Folders of the store: made once, durably; syncs of one folder at the same time are one. */
export class DurableFolders {
  readonly #roots: Roots;
  readonly #maxMade: number;
  readonly #syncs: boolean;
  /** Folders known to be on the disk. */
  readonly #made = new Map<string, Promise<void>>();
  readonly #underWay = new Map<string, { running: Promise<void>; next: Promise<void> | undefined }>();

  /** @param options folders that are remembered; whether {@link sync} does anything. */
  constructor(roots: Roots, { known = maxMade, syncs = true }: { readonly known?: number; readonly syncs?: boolean } = {}) {
    this.#roots = roots;
    this.#maxMade = known;
    this.#syncs = syncs;
  }

  /**
   * Moves a written file or folder to its place below the base folder, replacing a file that is there.
   * @throws an `ENOTDIR` or `EISDIR` error when another object's path is in the way.
   */
  async place(from: string, to: string): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await rename(from, await this.target(to));
        return await this.sync(dirname(to));
      } catch (error) {
        // Another process removed the folder.
        if (codeOf(error) !== 'ENOENT' || attempt > 0) throw error;
        this.#made.clear();
      }
    }
  }

  /** Makes the folder of a path below the base folder. @returns the path with symbolic links followed. @throws as {@link make}. */
  async target(path: string): Promise<string> {
    await this.make(dirname(path));
    return this.#roots.realTarget(path);
  }

  /** Makes a folder below the base and those above it. @throws an `ENOTDIR` error when a file is in the way. */
  make(folder: string): Promise<void> {
    if (folder === this.#roots.base.path) return Promise.resolve();
    let made = this.#made.get(folder);
    if (!made) {
      if (this.#made.size >= this.#maxMade) this.#made.clear();
      made = this.#make(folder);
      made.catch(() => this.#made.delete(folder));
      this.#made.set(folder, made);
    }
    return made;
  }

  async #make(folder: string): Promise<void> {
    const parent = dirname(folder);
    await this.make(parent);
    const made = mkdir(await this.#roots.realTarget(folder), 0o750).then(() => true);
    const exists = !(await unless(made, 'EEXIST'));
    if (exists && !(await stat(folder)).isDirectory()) throw Object.assign(new Error(`${folder} is not a folder`), { code: 'ENOTDIR' });
    await this.sync(parent);
  }

  /** Resolves when the entries the folder has now are on the disk. */
  async sync(folder: string): Promise<void> {
    if (!this.#syncs) return;
    const current = this.#underWay.get(folder);
    if (!current) {
      const state = { running: syncPath(folder), next: undefined };
      this.#underWay.set(folder, state);
      return state.running.finally(() => {
        if (this.#underWay.get(folder) === state && !state.next) this.#underWay.delete(folder);
      });
    }
    // The running sync may have begun before our entry was made: all who come now share the next one.
    current.next ??= current.running
      .catch(() => undefined)
      .then(() => {
        this.#underWay.delete(folder);
        return this.sync(folder);
      });
    return current.next;
  }
}

/** Syncs a file or a folder. */
export async function syncPath(path: string, flags: number | 'r' = 'r'): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The files of objects: finding, naming and removing them. */
import { stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, missing } from './error-codes.js';
import { unless } from './file-errors.js';
import type { BigIntStats } from 'node:fs';
import type { DurableFolders } from './durable-folders.js';
import type { Etags } from './etags.js';
import type { LocalObject, Roots } from './roots.js';
import type { WrittenFile } from './written-file.js';

export interface FoundFile {
  readonly path: string;
  readonly stats: BigIntStats;
}

/** An object below the base folder. */
export type OwnObject = LocalObject & { readonly escaped: string };

/** What a rename answers when another object's path is in the way, or the name is too long. */
const cannotHold = ['ENOTDIR', 'EISDIR', 'EEXIST', 'ENOTEMPTY', 'ENAMETOOLONG'];

export class ObjectFiles {
  readonly #roots: Roots;
  readonly #folders: DurableFolders;
  readonly #etags: Etags;

  constructor(roots: Roots, folders: DurableFolders, etags: Etags) {
    this.#roots = roots;
    this.#folders = folders;
    this.#etags = etags;
  }

  /** The file of an object: at its plain place, else at its escaped one, and once more as a writer may just have moved it. */
  async find({ plain, escaped }: LocalObject): Promise<FoundFile | undefined> {
    for (const candidate of [plain, escaped, plain]) {
      if (candidate === undefined) continue;
      const path = await unless(this.#roots.realFile(candidate), ...missing);
      const stats = path === undefined ? undefined : await unless(stat(path, { bigint: true }), ...missing);
      if (path !== undefined && stats?.isFile()) return { path, stats };
    }
    return undefined;
  }

  /** Gives a written file its name: the plain one, or the escaped one when the file system cannot hold that. */
  async place({ path, md5, state }: WrittenFile, { plain, escaped }: OwnObject): Promise<void> {
    try {
      const placed =
        plain !== undefined &&
        (await unless(
          this.#folders.place(path, plain).then(() => true),
          ...cannotHold,
        ));
      if (placed) await this.#unlink(escaped);
      else await this.#folders.place(path, escaped);
      this.#etags.remember(state, md5);
    } catch (error) {
      await unless(unlink(path), 'ENOENT');
      throw error;
    }
  }

  /** Path at which a file of the object may be named at once; `undefined` when something is in the way. */
  async target({ plain }: OwnObject): Promise<string | undefined> {
    return plain === undefined ? undefined : unless(this.#folders.target(plain), ...cannotHold);
  }

  /** Makes a name lasting that a written file got at `plain`. @param shadows whether a file lies at the escaped place. */
  async keep({ md5, state }: WrittenFile, { plain, escaped }: OwnObject, shadows: boolean): Promise<void> {
    if (plain !== undefined) await this.#folders.sync(dirname(plain));
    if (shadows) await this.#unlink(escaped);
    this.#etags.remember(state, md5);
  }

  async remove({ plain, escaped }: OwnObject): Promise<void> {
    // The plain place comes last: an older file must not come to light in between.
    await this.#unlink(escaped);
    if (plain !== undefined) await this.#unlink(plain);
  }

  async #unlink(path: string): Promise<void> {
    const target = await unless(this.#roots.realTarget(path), ...missing);
    if (target === undefined) return;
    try {
      await unlink(target);
    } catch (error) {
      if (missing.some(code => code === codeOf(error))) return;
      // Some systems answer EPERM for a folder.
      if (!(await stat(target)).isDirectory()) throw error;
    }
  }
}

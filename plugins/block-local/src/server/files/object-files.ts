/** The files of objects: finding, naming and removing them. */
import { stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SrvError } from '@srv/kernel';
import { cannotHold, codeOf, missing } from './error-codes.js';
import { noData, unless } from './file-errors.js';
import { escapedFolder, isPlain } from './file-name.js';
import type { BigIntStats } from 'node:fs';
import type { KeyedLock } from '@srv/lib-stores/block';
import type { Journal } from '../journal/journal.js';
import type { FileState, WrittenSmall } from '../small-files/small-write-messages.js';
import type { DurableFolders } from './durable-folders.js';
import type { Etags } from './etags.js';
import type { LocalObject, Roots } from './roots.js';
import type { SyncedFile } from './written-file.js';

export interface FoundFile {
  readonly path: string;
  readonly stats: BigIntStats;
}

/** An object below the base folder. */
export type OwnObject = LocalObject & { readonly name: string };

/** @throws SrvError `forbidden` for an object outside the base folder. */
export function writable({ address, plain, name }: LocalObject): OwnObject {
  if (name === undefined) throw new SrvError('forbidden', `${address}: forbidden; external folders may only be read`);
  return { address, plain, name };
}

/** Milliseconds for which it is trusted that no object lies at an escaped place. */
const escapesLife = 1000;

interface ObjectFilesOptions {
  readonly roots: Roots;
  readonly folders: DurableFolders;
  readonly etags: Etags;
  readonly journal: Journal;
  /** Changes of the files, by real path. */
  readonly locks: KeyedLock;
}

export class ObjectFiles {
  readonly #roots: Roots;
  readonly #folders: DurableFolders;
  readonly #etags: Etags;
  readonly #journal: Journal;
  readonly #locks: KeyedLock;
  #escapes: { readonly any: Promise<boolean>; readonly until: number } = { any: Promise.resolve(false), until: 0 };

  constructor({ roots, folders, etags, journal, locks }: ObjectFilesOptions) {
    this.#roots = roots;
    this.#folders = folders;
    this.#etags = etags;
    this.#journal = journal;
    this.#locks = locks;
  }

  /** The file of an object: at its plain place, else at its escaped one, and once more as a writer may just have moved it. */
  async find({ plain, name }: LocalObject): Promise<FoundFile | undefined> {
    const escaped = name === undefined ? undefined : this.#roots.escaped(name);
    for (const candidate of [plain, escaped, plain]) {
      if (candidate === undefined) continue;
      const path = await unless(this.#roots.realFile(candidate), ...missing);
      const stats = path === undefined ? undefined : await unless(stat(path, { bigint: true }), ...missing);
      if (path !== undefined && stats?.isFile()) return { path, stats };
    }
    return undefined;
  }

  /** @throws SrvError `no_data` when the object does not exist. */
  async existing(object: LocalObject): Promise<FoundFile> {
    const found = await this.find(object);
    if (!found) throw noData(object.address);
    return found;
  }

  /** Gives a written file its name: the plain one, or the escaped one when the file system cannot hold that. */
  async place({ path, md5, state }: SyncedFile, { plain, name }: OwnObject): Promise<void> {
    const escaped = this.#roots.escaped(name);
    try {
      const placed = plain !== undefined && (await unless(this.#placeAt(path, plain), ...cannotHold));
      if (!placed) await this.#placeEscaped(path, escaped);
      else if (await this.#anyEscaped()) await this.#unlink(escaped);
      if (md5 !== undefined) this.#etags.remember(state, md5);
    } catch (error) {
      await unless(unlink(path), 'ENOENT');
      throw error;
    }
  }

  async #placeAt(path: string, plain: string): Promise<true> {
    await this.#change(await this.#folders.target(plain), () => this.#folders.place(path, plain));
    return true;
  }

  async #placeEscaped(path: string, escaped: string): Promise<void> {
    await this.#folders.place(path, escaped);
    this.#escapes = { any: Promise.resolve(true), until: Infinity };
  }

  /** Whether there may be objects at escaped places, as far as was known a second ago: most stores never have any. */
  #anyEscaped(): Promise<boolean> {
    if (Date.now() >= this.#escapes.until) {
      const folder = stat(join(this.#roots.base.path, escapedFolder));
      const any = unless(folder, ...missing).then(found => found !== undefined);
      this.#escapes = { any, until: Date.now() + escapesLife };
    }
    return this.#escapes.any;
  }

  /**
   * Writes a small object at once, in a thread that writes many.
   * @param md5 of the body.
   * @returns `undefined` when an earlier write of its path has to be ended first, which is done by {@link place}.
   */
  async writeSmall(object: OwnObject, body: Buffer, md5: () => string | Promise<string>): Promise<FileState | undefined> {
    const { plain, name } = object;
    const target = plain === undefined ? undefined : await unless(this.#folders.target(plain), ...cannotHold);
    const written =
      target === undefined ? await this.#journal.write({ name: undefined, object: name }, body) : await this.#writeAt(target, name, body);
    if (!written) return undefined;
    const { state, shadows, unplaced } = written;
    if (unplaced !== undefined) await this.place({ path: unplaced, md5: await md5(), state }, object);
    else {
      if (shadows) await this.#unlink(this.#roots.escaped(name));
      const found = md5();
      this.#etags.remember(state, typeof found === 'string' ? found : await found);
    }
    return state;
  }

  async #writeAt(target: string, object: string, body: Buffer): Promise<WrittenSmall | undefined> {
    const name = this.#nameOf(target);
    // A symbolic link may lead to something that is not the name of an object.
    if (name !== object && !isPlain(name)) return undefined;
    if (!this.#locks.tryAcquire(target)) await this.#locks.acquire(target);
    try {
      const released = this.#journal.release(name);
      if (released) await released;
      if (this.#journal.mayHold(name)) return undefined;
      const written = await this.#journal.write({ name, object }, body);
      if (written.unplaced === undefined && !written.journalled) await this.#folders.sync(dirname(target));
      return written;
    } finally {
      this.#locks.release(target);
    }
  }

  async remove({ plain, name }: OwnObject): Promise<void> {
    // The plain place comes last: an older file must not come to light in between.
    await this.#unlink(this.#roots.escaped(name));
    if (plain !== undefined) await this.#unlink(plain);
  }

  /** Changes a file, given by real path, without the journal. */
  #change<T>(target: string, work: () => Promise<T>): Promise<T> {
    return this.#locks.run(target, async () => {
      await this.#journal.settle(this.#nameOf(target));
      return work();
    });
  }

  /** Path of a file relative to the real base folder: its name in the journal. */
  #nameOf(target: string): string {
    return target.slice(this.#roots.base.real.length + 1);
  }

  async #unlink(path: string): Promise<void> {
    const target = await unless(this.#roots.realTarget(path), ...missing);
    if (target === undefined) return;
    try {
      await this.#change(target, () => unlink(target));
    } catch (error) {
      if (missing.some(code => code === codeOf(error))) return;
      // Some systems answer EPERM for a folder.
      if (!(await stat(target)).isDirectory()) throw error;
    }
  }
}

/** Reads objects: small ones, and small ranges, in threads; others as streams. */
import { Readable } from 'node:stream';
import { throwIfAborted } from '@srv/kernel';
import { ReadyStream, withLength } from '@srv/lib-stores/block';
import { missing } from './files/error-codes.js';
import { noData, unless } from './files/file-errors.js';
import { closeFile, openPlainFile } from './files/plain-file.js';
import { readRange } from './files/read-range.js';
import { SmallReads, smallRange } from './small-files/small-reads.js';
import type { GetOptions } from '@srv/lib-stores/block';
import type { ObjectFiles } from './files/object-files.js';
import type { PlainFile } from './files/plain-file.js';
import type { LocalObject, Roots } from './files/roots.js';
import type { SmallRange } from './small-files/small-reads.js';

export class ObjectReader {
  readonly #roots: Roots;
  readonly #objects: ObjectFiles;
  readonly #small = new SmallReads();

  constructor(roots: Roots, objects: ObjectFiles) {
    this.#roots = roots;
    this.#objects = objects;
  }

  async read(place: LocalObject, { range, expectedSize, signal }: GetOptions): Promise<Readable> {
    const part = smallRange(range, expectedSize);
    const small = part && (await this.#readSmall(place, part));
    throwIfAborted(signal);
    if (small) return new ReadyStream(small);
    const file = (await this.#openKnown(place)) ?? (await this.#open(place));
    const [start, end] = [range?.start ?? 0, Math.min(range?.end ?? Number.POSITIVE_INFINITY, file.size - 1)];
    if (start <= end) return readRange(file.fd, { start, end }, signal);
    await closeFile(file.fd);
    return withLength(Readable.from([], { objectMode: false }), 0);
  }

  close(): Promise<void> {
    return this.#small.close();
  }

  /** Of objects below the base folder, at their plain place; `undefined` leaves the question open. */
  #readSmall(place: LocalObject, part: SmallRange): Promise<Buffer | undefined> | undefined {
    const path = this.#realPath(place);
    if (path === undefined) return undefined;
    if (typeof path === 'string') return this.#small.read(path, part);
    return path.then(found => (found === undefined ? undefined : this.#small.read(found, part)));
  }

  /** As {@link ObjectReader.#readSmall}. */
  async #openKnown(place: LocalObject): Promise<PlainFile | undefined> {
    const path = await this.#realPath(place);
    return path === undefined ? undefined : unless(openPlainFile(path), ...missing);
  }

  /** Wherever the object lies, and through the links on the way. @throws SrvError `no_data` */
  async #open(place: LocalObject): Promise<PlainFile> {
    const { path } = await this.#objects.existing(place);
    const file = await unless(openPlainFile(path), ...missing);
    if (!file) throw noData(place.address);
    return file;
  }

  /** Where an object below the base folder lies if it is at its plain place. */
  #realPath({ plain, name }: LocalObject): string | Promise<string | undefined> | undefined {
    if (plain === undefined || name === undefined) return undefined;
    // The path of a plain name is a clean one: this is what `dirname` and `join` would find.
    const slash = plain.lastIndexOf('/');
    const [parent, rest] = [plain.slice(0, slash), plain.slice(slash)];
    const known = this.#roots.knownFolder(parent);
    if (known !== undefined) return known + rest;
    return unless(this.#roots.realFolder(parent), ...missing).then(folder => (folder === undefined ? undefined : folder + rest));
  }
}

/** Reads objects: small ones, and small ranges, in threads; others as streams. */
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { throwIfAborted } from '@srv/kernel';
import { ReadyStream, withLength } from '@srv/lib-stores/block';
import { missing } from './files/error-codes.js';
import { noData, unless } from './files/file-errors.js';
import { readRange } from './files/read-range.js';
import { SmallReads, smallRange } from './small-files/small-reads.js';
import type { GetOptions } from '@srv/lib-stores/block';
import type { ObjectFiles } from './files/object-files.js';
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
    const { path, stats } = await this.#objects.existing(place);
    const [start, end] = [range?.start ?? 0, Math.min(range?.end ?? Number.POSITIVE_INFINITY, Number(stats.size) - 1)];
    if (start > end) return withLength(Readable.from([], { objectMode: false }), 0);
    const file = await unless(open(path, 'r'), ...missing);
    if (!file) throw noData(place.address);
    return readRange(file, { start, end }, signal);
  }

  close(): Promise<void> {
    return this.#small.close();
  }

  /** Of objects below the base folder, at their plain place; `undefined` leaves the question open. */
  #readSmall({ plain, name }: LocalObject, part: SmallRange): Promise<Buffer | undefined> | undefined {
    if (plain === undefined || name === undefined) return undefined;
    // The path of a plain name is a clean one: this is what `dirname` and `join` would find.
    const slash = plain.lastIndexOf('/');
    const parent = plain.slice(0, slash);
    const read = (folder: string): Promise<Buffer | undefined> => this.#small.read(folder + plain.slice(slash), part);
    const known = this.#roots.knownFolder(parent);
    if (known !== undefined) return read(known);
    return unless(this.#roots.realFolder(parent), ...missing).then(folder => (folder === undefined ? undefined : read(folder)));
  }
}

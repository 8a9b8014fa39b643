/** Lists of object ids, 24 bytes each: sorting without comparing, leaving out repetitions, merging. Blocks: for a worker thread. */
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { idBytes } from '../mark/object-id.js';

/** Ids sorted at a time: the memory that sorting takes is three times as much. */
export const chunkIds = 1_000_000;
const readBytes = idBytes * 8192;

/** Sorts ids and leaves out repetitions. @returns a part of a new buffer. */
export function sortIds(ids: Buffer): Buffer {
  const count = Math.floor(ids.length / idBytes);
  let order = Uint32Array.from({ length: count }, (_, i) => i);
  let spare = new Uint32Array(count);
  for (let byte = idBytes - 1; byte >= 0; byte--) {
    const starts = new Uint32Array(257);
    for (let i = 0; i < count; i++) {
      const next = (ids[i * idBytes + byte] ?? 0) + 1;
      starts[next] = (starts[next] ?? 0) + 1;
    }
    // Machine and process are the same in most ids.
    if (starts.includes(count, 1)) continue;
    for (let v = 0; v < 256; v++) starts[v + 1] = (starts[v + 1] ?? 0) + (starts[v] ?? 0);
    for (const i of order) {
      const value = ids[i * idBytes + byte] ?? 0;
      const at = starts[value] ?? 0;
      spare[at] = i;
      starts[value] = at + 1;
    }
    [order, spare] = [spare, order];
  }
  const sorted = Buffer.allocUnsafeSlow(count * idBytes);
  let end = 0;
  for (const i of order) {
    const from = i * idBytes;
    if (end > 0 && ids.compare(sorted, end - idBytes, end, from, from + idBytes) === 0) continue;
    ids.copy(sorted, end, from, from + idBytes);
    end += idBytes;
  }
  return sorted.subarray(0, end);
}

/** A sorted part of a file, read in order. */
export class IdReader {
  readonly #descriptor: number;
  readonly #end: number;
  #position: number;
  #block = Buffer.alloc(0);
  #at = 0;

  constructor(path: string, start = 0, end = Number.POSITIVE_INFINITY) {
    this.#descriptor = openSync(path, 'r');
    this.#position = start;
    this.#end = end;
  }

  /** The next id, valid until the next call; `undefined` at the end. */
  next(): Buffer | undefined {
    if (this.#at >= this.#block.length) {
      const wanted = Math.min(readBytes, this.#end - this.#position);
      if (wanted <= 0) return undefined;
      const block = Buffer.allocUnsafe(wanted);
      const read = readSync(this.#descriptor, block, 0, wanted, this.#position);
      this.#position += read;
      this.#block = block.subarray(0, read - (read % idBytes));
      this.#at = 0;
      if (this.#block.length === 0) return undefined;
    }
    this.#at += idBytes;
    return this.#block.subarray(this.#at - idBytes, this.#at);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/** Writes ids, leaving out repetitions of the one before. */
export class IdWriter {
  readonly #descriptor: number;
  #block = Buffer.alloc(readBytes);
  #filled = 0;
  #last = Buffer.alloc(0);
  count = 0;

  constructor(path: string) {
    this.#descriptor = openSync(path, 'w');
  }

  add(id: Buffer): void {
    if (this.#last.equals(id)) return;
    this.#last = Buffer.from(id);
    if (this.#filled === this.#block.length) this.#flush();
    this.#filled += id.copy(this.#block, this.#filled);
    this.count++;
  }

  /** @param sync for lists that later runs use: one that a power cut emptied must not be taken for a list of nothing. */
  close({ sync }: { readonly sync: boolean }): void {
    this.#flush();
    if (sync) fsyncSync(this.#descriptor);
    closeSync(this.#descriptor);
  }

  #flush(): void {
    for (let at = 0; at < this.#filled; ) at += writeSync(this.#descriptor, this.#block, at, this.#filled - at);
    this.#filled = 0;
  }
}

/** Merges sorted lists into one, few at a time. */
export function mergeIds(readers: readonly IdReader[], writer: IdWriter): void {
  const heads = readers.map(reader => ({ reader, id: reader.next() })).filter(head => head.id !== undefined);
  while (heads.length > 0) {
    let least = heads[0];
    for (const head of heads) if (head.id && least?.id && Buffer.compare(head.id, least.id) < 0) least = head;
    if (!least?.id) break;
    writer.add(least.id);
    least.id = least.reader.next();
    if (!least.id) heads.splice(heads.indexOf(least), 1);
  }
}

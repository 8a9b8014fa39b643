/** Reads sorted tables (format.md section 4). Every byte is hostile: errors name file, offset and what was expected. */
import { createHash } from 'node:crypto';
import { SrvError } from '@srv/kernel/errors';
import { BlockCursor } from './block-cursor.js';
import { BlockSearch } from './block-search.js';
import { blockChecksum } from './checksum.js';
import { blockType, maxBlockBytes, unpackSnappy } from './compression.js';
import { indexType, indexTypeProperty } from './properties.js';
import { blockTrailerSize, decodeFooter, decodeHandle, footerSize, keyTrailerSize, propertiesBlockName } from './table-layout.js';
import type { BlockHandle } from './table-layout.js';

/** A file's bytes at random; reads are short and local. */
export interface RandomAccess {
  /** For messages. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Exactly `length` bytes, or fewer at the end of a file that shrank. */
  read(offset: number, length: number): Buffer;
}

/** A decoded block that is kept. */
export interface KeptBlock {
  /** The number of its reader: keys come again. */
  readonly reader: number;
  readonly bytes: Buffer;
}

/** Keeps decoded blocks by numbers, which are found twice as fast as texts. */
export interface BlockCache {
  get(key: number): KeptBlock | undefined;
  set(key: number, block: KeptBlock): void;
}

/** Offsets of one reader's blocks occupy this many keys. */
const keysPerReader = 2 ** 32;
/** As many readers have keys of their own; later ones have those of earlier ones again, so that keys stay exact numbers. */
const readersWithKeys = 2 ** 20;
/** Readers of this thread. */
let readers = 0;

/** Shared by all readers: a search never waits. */
const search = new BlockSearch(keyTrailerSize);

export class TableReader {
  readonly name: string;
  readonly properties: ReadonlyMap<string, Buffer>;
  readonly isTwoLevel: boolean;
  readonly #file: RandomAccess;
  readonly #cache: BlockCache | undefined;
  readonly #number = readers++;
  readonly #fingerprints = new Map<number, string>();
  readonly #index: Buffer;
  readonly #indexHandle: BlockHandle;
  #isEmpty: boolean | undefined;

  /** @throws SrvError `corrupt` when footer, metaindex, properties or index do not decode. */
  constructor(file: RandomAccess, cache?: BlockCache) {
    this.#file = file;
    this.#cache = cache;
    this.name = file.name;
    const fail = (at: number, expected: string): SrvError => this.#corrupt(at, expected);
    if (file.size < footerSize) throw fail(0, `a table of at least ${footerSize} bytes, not ${file.size}`);
    const { metaindex, index } = decodeFooter(file.read(file.size - footerSize, footerSize), file.size, fail);
    this.properties = this.#readProperties(metaindex);
    const type = this.properties.get(indexTypeProperty)?.readUInt32LE(0) ?? indexType.single;
    if (type !== indexType.single && type !== indexType.twoLevel) throw fail(metaindex.offset, `index type 0 or 2, not ${type}`);
    this.isTwoLevel = type === indexType.twoLevel;
    this.#index = this.#load(index);
    this.#indexHandle = index;
  }

  /** Text of a property; `undefined` when absent. */
  property(name: string): string | undefined {
    return this.properties.get(name)?.toString('utf8');
  }

  /** Value of exactly this key. */
  get(key: Buffer): Buffer | undefined {
    let index = search.find({ bytes: this.#index, fail: this.#failIn(this.#indexHandle) }, key, 'not-below');
    if (index !== undefined && this.isTwoLevel) index = search.find(this.#content(this.#handle(index), true), key, 'not-below');
    return index && search.find(this.#content(this.#handle(index), true), key, 'equal');
  }

  #handle(value: Buffer): BlockHandle {
    const handle = decodeHandle(value);
    if (!handle) throw this.#corrupt(this.#indexHandle.offset, 'a block handle');
    return handle;
  }

  /** A cursor over all records, not positioned yet. @param keep whether blocks read go to the cache. */
  cursor(keep = false): TableCursor {
    return new TableCursor(this, keep);
  }

  indexCursor(): IndexCursor {
    const top = new BlockCursor({ bytes: this.#index, fail: this.#failIn(this.#indexHandle) }, keyTrailerSize);
    return new IndexCursor(
      top,
      this.isTwoLevel ? handle => new BlockCursor(this.#content(handle, true), keyTrailerSize) : undefined,
      this.#failIn(this.#indexHandle),
    );
  }

  /** Whether the table has no record. */
  get isEmpty(): boolean {
    this.#isEmpty ??= this.#countRecords() === 0;
    return this.#isEmpty;
  }

  /** A block and its neighbour, seen from an index cursor that stays where it is; `undefined` for the last block. */
  unreadBlock(index: IndexCursor): UnreadBlock | undefined {
    const next = index.peek();
    return next && { handle: index.handle, reader: this, reach: next };
  }

  emptyBlock({ offset }: BlockHandle): SrvError {
    return this.#corrupt(offset, 'a data block with records');
  }

  /** A data block as stored, type and checksum included, after a check of both. */
  storedBlock(handle: BlockHandle): { stored: Buffer; content: Buffer } {
    const stored = this.#file.read(handle.offset, handle.size + blockTrailerSize);
    return { stored, content: this.#unpack(handle, stored) };
  }

  /** A data block ready to walk. */
  dataBlock(handle: BlockHandle, keep: boolean): BlockCursor {
    return new BlockCursor(this.#content(handle, keep), keyTrailerSize);
  }

  /** Equal for blocks of equal bytes, different otherwise; computed once per block. */
  fingerprint({ offset, size }: BlockHandle): string {
    let print = this.#fingerprints.get(offset);
    if (print === undefined) {
      print = createHash('sha1')
        .update(this.#file.read(offset, size + blockTrailerSize))
        .digest()
        .toString('latin1');
      this.#fingerprints.set(offset, print);
    }
    return print;
  }

  #content(handle: BlockHandle, keep: boolean): { bytes: Buffer; fail: (at: number, expected: string) => SrvError } {
    const key = (this.#number % readersWithKeys) * keysPerReader + handle.offset;
    const kept = this.#cache?.get(key);
    if (kept?.reader === this.#number) return { bytes: kept.bytes, fail: this.#failIn(handle) };
    const bytes = this.#load(handle);
    if (keep) this.#cache?.set(key, { reader: this.#number, bytes });
    return { bytes, fail: this.#failIn(handle) };
  }

  #load({ offset, size }: BlockHandle): Buffer {
    if (size > maxBlockBytes) throw this.#corrupt(offset, `a block of at most ${maxBlockBytes} bytes, not ${size}`);
    if (offset + size + blockTrailerSize > this.#file.size)
      throw this.#corrupt(offset, `a block that ends before byte ${this.#file.size}, not at ${offset + size + blockTrailerSize}`);
    return this.#unpack({ offset, size }, this.#file.read(offset, size + blockTrailerSize));
  }

  #unpack({ offset, size }: BlockHandle, stored: Buffer): Buffer {
    if (stored.length !== size + blockTrailerSize)
      throw this.#corrupt(offset, `${size + blockTrailerSize} bytes, the file ends after ${stored.length}`);
    const expected = stored.readUInt32LE(size + 1);
    const actual = blockChecksum(stored.subarray(0, size + 1));
    if (actual !== expected) throw this.#corrupt(offset, `checksum ${expected.toString(16)}, found ${actual.toString(16)}`);
    const type = stored[size];
    if (type === blockType.none) return Buffer.from(stored.subarray(0, size));
    if (type !== blockType.snappy) throw this.#corrupt(offset + size, `block type 0 or 1, not ${type}`);
    const content = unpackSnappy(stored.subarray(0, size));
    if (content === undefined) throw this.#corrupt(offset, `a Snappy block of at most ${maxBlockBytes} bytes`);
    return content;
  }

  #countRecords(): number {
    const index = this.indexCursor();
    index.first();
    if (!index.valid) return 0;
    const block = this.dataBlock(index.handle, false);
    block.first();
    return block.valid ? 1 : 0;
  }

  #readProperties(metaindex: BlockHandle): Map<string, Buffer> {
    const cursor = new BlockCursor({ bytes: this.#load(metaindex), fail: this.#failIn(metaindex) }, 0);
    const name = Buffer.from(propertiesBlockName);
    cursor.seek(name);
    if (!cursor.valid || cursor.compareKey(name) !== 0) throw this.#corrupt(metaindex.offset, `a metaindex entry ${propertiesBlockName}`);
    const handle = decodeHandle(cursor.value);
    if (!handle) throw this.#corrupt(metaindex.offset, 'a block handle');
    const properties = new Map<string, Buffer>();
    const entries = new BlockCursor({ bytes: this.#load(handle), fail: this.#failIn(handle) }, 0);
    for (entries.first(); entries.valid; entries.next()) properties.set(entries.key.toString('utf8'), Buffer.from(entries.value));
    const type = properties.get(indexTypeProperty);
    if (type !== undefined && type.length !== 4) throw this.#corrupt(handle.offset, `a property ${indexTypeProperty} of 4 bytes`);
    return properties;
  }

  #failIn(handle: BlockHandle): (at: number, expected: string) => SrvError {
    return (at, expected) => this.#corrupt(handle.offset, `${expected} (at byte ${at} of the block)`);
  }

  #corrupt(at: number, expected: string): SrvError {
    return new SrvError('corrupt', `${this.name}: byte ${at}: expected ${expected}`, { details: { file: this.name, offset: at } });
  }
}

/** Handles of data blocks in order, over one or two index levels. */
export class IndexCursor {
  readonly #top: BlockCursor;
  readonly #open: ((handle: BlockHandle) => BlockCursor) | undefined;
  readonly #fail: (at: number, expected: string) => SrvError;
  #bottom: BlockCursor;

  constructor(
    top: BlockCursor,
    open: ((handle: BlockHandle) => BlockCursor) | undefined,
    fail: (at: number, expected: string) => SrvError,
  ) {
    this.#top = top;
    this.#open = open;
    this.#fail = fail;
    this.#bottom = top;
  }

  get valid(): boolean {
    return this.#bottom.valid;
  }

  get handle(): BlockHandle {
    return this.#handleAt(this.#bottom);
  }

  /** Index key of the next block, which none of its records exceeds; `undefined` where the cursor's block is its partition's last. */
  peek(): Buffer | undefined {
    return this.#bottom.peekKey();
  }

  /** Handle of the next block; `undefined` where {@link peek} is. */
  peekHandle(): BlockHandle | undefined {
    const value = this.#bottom.peekValue();
    return value && this.#decoded(value);
  }

  first(): void {
    this.#top.first();
    this.#descend(bottom => bottom.first());
  }

  /** Moves to the first block that may hold `key` or a greater one. */
  seek(key: Buffer): void {
    this.#top.seek(key);
    this.#descend(bottom => bottom.seek(key));
  }

  next(): void {
    this.#bottom.next();
    if (this.#open && !this.#bottom.valid && this.#top.valid) {
      this.#top.next();
      this.#descend(bottom => bottom.first());
    }
  }

  /** Opens the partition under the top cursor; an empty one is passed over. */
  #descend(position: (bottom: BlockCursor) => void): void {
    if (!this.#open) return;
    while (this.#top.valid) {
      this.#bottom = this.#open(this.#handleAt(this.#top));
      position(this.#bottom);
      if (this.#bottom.valid) return;
      this.#top.next();
      position = bottom => bottom.first();
    }
    this.#bottom = this.#top;
  }

  #handleAt(cursor: BlockCursor): BlockHandle {
    return this.#decoded(cursor.value);
  }

  #decoded(value: Buffer): BlockHandle {
    const handle = decodeHandle(value);
    if (!handle) throw this.#fail(0, 'a block handle');
    return handle;
  }
}

/**
 * Records of a table in key order. A block is read when a record of it is asked for, so that blocks can be passed over
 * unread.
 */
export class TableCursor {
  readonly #reader: TableReader;
  readonly #index: IndexCursor;
  readonly #keep: boolean;
  #block: BlockCursor | undefined;
  /** The cursor stands before the block under the index cursor, which has not been read. */
  #unread = false;
  #key: Buffer | undefined;

  constructor(reader: TableReader, keep: boolean) {
    this.#reader = reader;
    this.#keep = keep;
    this.#index = reader.indexCursor();
  }

  /** Whether there is a record, without reading a block: a block before which the cursor stands counts as one. */
  get valid(): boolean {
    return this.#unread || this.#block !== undefined;
  }

  /** @throws SrvError `internal` when not `valid`. */
  get key(): Buffer {
    this.#key ??= this.#current.key;
    return this.#key;
  }

  /** Where the block of the record begins in the file. */
  get blockOffset(): number {
    return this.#index.handle.offset;
  }

  /** All records of the block, whichever of them the cursor is at. Values are views into the block. */
  *blockRecords(): Generator<{ readonly key: Buffer; readonly value: Buffer }> {
    const block = this.#reader.dataBlock(this.#index.handle, this.#keep);
    for (block.first(); block.valid; block.next()) yield { key: block.key, value: block.value };
  }

  /** View into a block that stays intact. */
  get value(): Buffer {
    return this.#current.value;
  }

  /** The block before which the cursor stands, with its neighbour, when neither has been read and both exist. */
  get unreadBlock(): UnreadBlock | undefined {
    return this.#unread ? this.#reader.unreadBlock(this.#index) : undefined;
  }

  compareKey(other: Buffer): number {
    return this.#current.compareKey(other);
  }

  first(): void {
    this.#index.first();
    this.#enterBlock();
    if (this.#reader.isEmpty) this.#unread = false;
  }

  seek(key: Buffer): void {
    this.#key = undefined;
    this.#index.seek(key);
    this.#enterBlock();
    if (!this.#unread || this.#reader.isEmpty) {
      this.#unread = false;
      return;
    }
    const block = this.#current;
    block.seek(key);
    if (!block.valid) this.skipBlock();
  }

  next(): void {
    this.#key = undefined;
    const block = this.#current;
    block.next();
    if (!block.valid) this.skipBlock();
  }

  /** Goes before the next block. */
  skipBlock(): void {
    this.#index.next();
    this.#enterBlock();
  }

  /** While both cursors stand before unread blocks of equal bytes: moves both past them. */
  skipEqualBlocks(other: TableCursor): void {
    while (this.#unread && other.#unread) {
      if (!this.#isEqual(this.#index.handle, other, other.#index.handle)) return;
      this.skipBlock();
      other.skipBlock();
    }
  }

  /**
   * The block before which both cursors stand, when neither has read it, its bytes are equal on both sides and those of the
   * block after it are, too: whatever becomes of the rest, the record after the block stays.
   */
  commonBlock(other: TableCursor): UnreadBlock | undefined {
    if (!this.#unread || !other.#unread) return undefined;
    const block = this.#reader.unreadBlock(this.#index);
    if (block === undefined || !this.#isEqual(block.handle, other, other.#index.handle)) return undefined;
    const [next, otherNext] = [this.#index.peekHandle(), other.#index.peekHandle()];
    return next && otherNext && this.#isEqual(next, other, otherNext) ? block : undefined;
  }

  #isEqual(handle: BlockHandle, other: TableCursor, otherHandle: BlockHandle): boolean {
    if (handle.size !== otherHandle.size) return false;
    return this.#reader.fingerprint(handle) === other.#reader.fingerprint(otherHandle);
  }

  get #current(): BlockCursor {
    if (this.#unread) {
      this.#unread = false;
      this.#block = this.#reader.dataBlock(this.#index.handle, this.#keep);
      this.#block.first();
      if (!this.#block.valid) throw this.#reader.emptyBlock(this.#index.handle);
    }
    if (this.#block === undefined) throw new SrvError('internal', 'the table cursor is past the end');
    return this.#block;
  }

  #enterBlock(): void {
    this.#key = undefined;
    this.#block = undefined;
    this.#unread = this.#index.valid;
  }
}

/** A data block that need not be taken apart, and how far it and the next one reach. */
export interface UnreadBlock {
  readonly handle: BlockHandle;
  readonly reader: TableReader;
  /** No record of the block, or of the next block, is greater. */
  readonly reach: Buffer;
}

/** A table held in memory. */
export function memoryFile(name: string, bytes: Buffer): RandomAccess {
  return { name, size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
}

/** Writes sorted tables: block-based, format version 2, byte for byte as an existing installation would (format.md section 5). */
import { SrvError } from '@srv/kernel/errors';
import { BlockBuilder } from './block-builder.js';
import { blockChecksum } from './checksum.js';
import { blockType, pack } from './compression.js';
import { encodeProperties, userProperty } from './properties.js';
import { RecordHash } from './record-hash.js';
import { separator, successor } from './separator.js';
import { blockTrailerSize, encodeFooter, encodeHandle, keyTrailer, keyTrailerSize, propertiesBlockName } from './table-layout.js';
import type { BlockFrame } from './block-frame.js';
import type { BlockHandle } from './table-layout.js';

/** Takes the file's bytes in order. The buffer belongs to the sink only during the call. */
export type ByteSink = (bytes: Buffer) => void;

export interface TableSummary {
  /** Content id: 64 lower-case hexadecimal characters. */
  readonly id: string;
  readonly minKey: Buffer;
  readonly maxKey: Buffer;
  readonly count: number;
  /** Bytes, by the rule of format.md section 6. */
  readonly estimatedSize: number;
  readonly fileSize: number;
}

/** Value length the index's size rule assumes for a handle. */
const assumedHandleLength = 20;

interface IndexPartition {
  readonly lastKey: Buffer;
  readonly content: Buffer;
}

const empty = Buffer.alloc(0);

export class TableWriter {
  readonly #sink: ByteSink;
  readonly #properties: Readonly<Record<string, string>>;
  readonly #hash = new RecordHash();
  readonly #data = new BlockBuilder(16);
  readonly #index = new BlockBuilder(1);
  readonly #partitions: IndexPartition[] = [];
  #offset = 0;
  #storedBlocks = 0;
  #dataBlocks = 0;
  #count = 0;
  #rawKeySize = 0;
  #rawValueSize = 0;
  #minKey: Buffer = empty;
  #lastKey: Buffer = empty;
  #lastInternal: Buffer = empty;
  /** A block taken over as it is; it ends before the next record, as it did where it comes from. */
  #copied: BlockFrame | undefined;

  /** @param properties user properties that are part of the id, such as `{ type: 'ranges' }`. */
  constructor(sink: ByteSink, properties: Readonly<Record<string, string>>) {
    this.#sink = sink;
    this.#properties = properties;
  }

  get count(): number {
    return this.#count;
  }

  get lastKey(): Buffer {
    return this.#lastKey;
  }

  /** Bytes, by the rule of format.md section 6. Drops a little when an index partition is cut: break decisions rely on it. */
  get estimatedSize(): number {
    const pending = this.#copied?.contentSize ?? this.#data.estimatedSize;
    return this.#storedBlocks + pending + this.#index.estimatedSize;
  }

  /**
   * Appends a record. The buffers must not change afterwards.
   * @throws SrvError `internal` unless keys strictly ascend in byte order.
   */
  add(key: Buffer, value: Buffer): void {
    this.#ascend(key);
    const keyLength = key.length + keyTrailerSize;
    if (this.#endsBlockBefore(keyLength, value.length)) this.#finishDataBlock(key);
    const internal = internalKey(key, keyTrailer.set);
    this.#data.add(internal, value, key.length);
    this.#hash.add(key, value);
    this.#lastKey = key;
    this.#lastInternal = internal;
    this.#count++;
    this.#rawKeySize += keyLength;
    this.#rawValueSize += value.length;
  }

  /**
   * Takes a block over unchanged, where a new block would begin with its first record anyway. The record that follows
   * must be the one that followed it where it comes from.
   * @returns false, and does nothing, when its records have to be added one by one.
   */
  copyBlock(frame: BlockFrame): boolean {
    const begins = this.#count === 0 || this.#endsBlockBefore(frame.firstKey.length + keyTrailerSize, frame.firstValueSize);
    if (!begins) return false;
    this.#ascend(frame.firstKey);
    if (this.#count > 0) this.#finishDataBlock(frame.firstKey);
    this.#copied = frame;
    this.#hash.addFramed(frame.hashInput);
    this.#lastKey = frame.lastKey;
    this.#lastInternal = internalKey(frame.lastKey, keyTrailer.set);
    this.#count += frame.count;
    this.#rawKeySize += frame.rawKeySize;
    this.#rawValueSize += frame.rawValueSize;
    return true;
  }

  /** Writes what is left, index, properties and footer. */
  finish(): TableSummary {
    const estimatedSize = this.estimatedSize;
    if (this.#copied || this.#data.count > 0 || this.#dataBlocks === 0) this.#finishDataBlock(undefined);
    const dataSize = this.#offset;
    const { handle: index, size: indexSize, topLevelSize } = this.#writeIndex();
    const user = new Map<string, Buffer>([
      ...Object.entries(this.#properties).map(([name, value]): [string, Buffer] => [name, Buffer.from(value, 'utf8')]),
      [userProperty.minKey, this.#minKey],
      [userProperty.maxKey, this.#lastKey],
      [userProperty.count, Buffer.from(String(this.#count))],
      [userProperty.estimatedSize, Buffer.from(String(estimatedSize))],
    ]);
    const facts = {
      dataSize,
      indexSize,
      dataBlocks: this.#dataBlocks,
      entries: this.#count,
      rawKeySize: this.#rawKeySize,
      rawValueSize: this.#rawValueSize,
    };
    const partitions = this.#partitions.length > 0 ? { partitions: { count: this.#partitions.length, topLevelSize } } : {};
    const properties = this.#writeBlock(encodeProperties({ ...facts, ...partitions }, user), false);
    const metaindexBlock = new BlockBuilder(1);
    metaindexBlock.add(Buffer.from(propertiesBlockName), encodeHandle(properties));
    const metaindex = this.#writeBlock(metaindexBlock.finish(), false);
    this.#write(encodeFooter(metaindex, index));
    return {
      id: this.#hash.finish(this.#properties),
      minKey: this.#minKey,
      maxKey: this.#lastKey,
      count: this.#count,
      estimatedSize,
      fileSize: this.#offset,
    };
  }

  /** @param next key of the record after the block; absent at the end of the table. */
  #finishDataBlock(next: Buffer | undefined): void {
    const isEmpty = this.#count === 0;
    const handle = this.#copied ? this.#writeStored(this.#copied.stored) : this.#writeBlock(this.#data.finish(), true);
    this.#copied = undefined;
    this.#storedBlocks += handle.size + blockTrailerSize;
    this.#dataBlocks++;
    this.#addIndexEntry(isEmpty ? keyTrailer.invalid : this.#indexKey(next), handle);
  }

  #ascend(key: Buffer): void {
    if (this.#count === 0) this.#minKey = key;
    else if (Buffer.compare(key, this.#lastKey) <= 0) throw new SrvError('internal', 'keys should be written in ascending order');
  }

  #endsBlockBefore(keyLength: number, valueLength: number): boolean {
    return this.#copied !== undefined || this.#data.isFullFor(keyLength, valueLength);
  }

  #indexKey(next: Buffer | undefined): Buffer {
    const last = this.#lastKey;
    const short = next === undefined ? successor(last) : separator(last, next);
    return short.length <= last.length && Buffer.compare(short, last) > 0 ? internalKey(short, keyTrailer.separator) : this.#lastInternal;
  }

  #addIndexEntry(key: Buffer, handle: BlockHandle): void {
    if (this.#index.isFullFor(key.length, assumedHandleLength)) this.#cutPartition();
    this.#index.add(key, encodeHandle(handle));
  }

  #cutPartition(): void {
    const { lastKey } = this.#index;
    this.#partitions.push({ lastKey, content: Buffer.from(this.#index.finish()) });
  }

  #writeIndex(): { handle: BlockHandle; size: number; topLevelSize: number } {
    if (this.#partitions.length === 0) {
      const content = this.#index.finish();
      const size = content.length + blockTrailerSize;
      return { handle: this.#writeBlock(content, true), size, topLevelSize: 0 };
    }
    this.#cutPartition();
    const topLevel = new BlockBuilder(1);
    let size = blockTrailerSize;
    for (const { lastKey, content } of this.#partitions) {
      size += content.length;
      topLevel.add(lastKey, encodeHandle(this.#writeBlock(content, true)));
    }
    const content = topLevel.finish();
    const topLevelSize = content.length;
    return { handle: this.#writeBlock(content, true), size: size + topLevelSize, topLevelSize };
  }

  #writeBlock(content: Buffer, compress: boolean): BlockHandle {
    const { payload, type } = compress ? pack(content) : { payload: content, type: blockType.none };
    const stored = Buffer.allocUnsafe(payload.length + blockTrailerSize);
    payload.copy(stored);
    stored[payload.length] = type;
    stored.writeUInt32LE(blockChecksum(stored.subarray(0, payload.length + 1)), payload.length + 1);
    return this.#writeStored(stored);
  }

  #writeStored(stored: Buffer): BlockHandle {
    const handle = { offset: this.#offset, size: stored.length - blockTrailerSize };
    this.#write(stored);
    return handle;
  }

  #write(bytes: Buffer): void {
    this.#sink(bytes);
    this.#offset += bytes.length;
  }
}

function internalKey(key: Buffer, trailer: Buffer): Buffer {
  const internal = Buffer.allocUnsafe(key.length + keyTrailerSize);
  key.copy(internal);
  trailer.copy(internal, key.length);
  return internal;
}

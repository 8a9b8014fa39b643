/** A data block prepared for taking over as it is: what its records add to the table's id and to the writer's decisions. */
import { BlockCursor } from './block-cursor.js';
import { RecordFrames } from './record-hash.js';
import { keyTrailerSize } from './table-layout.js';
import { withoutTail } from './value.js';
import type { UnreadBlock } from './table-reader.js';

export interface BlockFrame {
  /** Payload, type and checksum. */
  readonly stored: Buffer;
  /** Bytes, uncompressed. */
  readonly contentSize: number;
  /** The records as the id is hashed from them. */
  readonly hashInput: Buffer;
  readonly count: number;
  readonly rawKeySize: number;
  readonly rawValueSize: number;
  readonly firstKey: Buffer;
  readonly firstValueSize: number;
  readonly lastKey: Buffer;
}

/** A frame and what decides whether it may be used. */
export interface FramedBlock extends BlockFrame {
  readonly keys: readonly Buffer[];
  /** Every value is written as a writer of today would. */
  readonly isNormal: boolean;
}

/** Takes the block apart once. */
export function frameBlock({ reader, handle }: UnreadBlock): FramedBlock {
  const { stored, content } = reader.storedBlock(handle);
  const cursor = new BlockCursor({ bytes: content, fail: () => reader.emptyBlock(handle) }, keyTrailerSize);
  const frames = new RecordFrames();
  const keys: Buffer[] = [];
  let rawValueSize = 0;
  let firstValueSize = 0;
  let isNormal = true;
  for (cursor.first(); cursor.valid; cursor.next()) {
    const { key, value } = cursor;
    frames.add(key, value);
    if (keys.length === 0) firstValueSize = value.length;
    keys.push(key);
    rawValueSize += value.length;
    if (withoutTail(value) !== value) isNormal = false;
  }
  const [firstKey, lastKey] = [keys[0], keys.at(-1)];
  if (!firstKey || !lastKey) throw reader.emptyBlock(handle);
  return {
    stored: Buffer.from(stored),
    contentSize: content.length,
    hashInput: frames.finish(),
    count: keys.length,
    rawKeySize: keys.reduce((sum, key) => sum + key.length + keyTrailerSize, 0),
    rawValueSize,
    firstKey,
    firstValueSize,
    lastKey,
    keys,
    isNormal,
  };
}

/**
 * Object ids of one range, as a file that later runs use again: ranges never change. Layout: `srvgc1`, u32 number of ids
 * named by relative addresses, u32 number of ids named by full ones, then both lists, sorted.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { TableReader, decodeValue } from '@srv/engine/tables/format';
import { SrvError } from '@srv/kernel/errors';
import { ProtoReader } from '@srv/lib-records/protobuf';
import { identifierType } from '@srv/lib-stores/block/contract';
import { idBytes, objectsIn, packPlain } from '../mark/object-id.js';
import { sortIds } from './sorted-ids.js';

const magic = 'srvgc1';
export const headBytes = magic.length + 8;

/** Ids a range file is to hold: all, or only those named by full addresses, which is what other repositories need. */
export type RangeIds = 'both' | 'foreign';

/** Where the lists of a range file lie in it. */
interface RangeLists {
  readonly own: { readonly start: number; readonly end: number };
  readonly foreign: { readonly start: number; readonly end: number };
}

/** @param head at least {@link headBytes} bytes. @returns `undefined` for a file that is not whole. */
export function listsIn(head: Buffer, size: number): RangeLists | undefined {
  if (head.length < headBytes || head.toString('latin1', 0, magic.length) !== magic) return undefined;
  const own = head.readUInt32LE(magic.length) * idBytes;
  const foreign = head.readUInt32LE(magic.length + 4) * idBytes;
  if (size !== headBytes + own + foreign) return undefined;
  return { own: { start: headBytes, end: headBytes + own }, foreign: { start: headBytes + own, end: size } };
}

/**
 * The file of a range, in parts.
 * @param count records the metarange says there are.
 * @param lists `foreign`: the list of ids named by relative addresses is empty.
 * @throws SrvError `corrupt` when there are more or fewer: a part is never taken for all.
 */
export function rangeFileOf(range: Buffer, name: string, count: number, lists: RangeIds): readonly Buffer[] {
  const ids = new Ids();
  const foreign = new Ids();
  const reader = new TableReader({ name, size: range.length, read: (offset, length) => range.subarray(offset, offset + length) });
  const cursor = reader.cursor();
  let records = 0;
  for (cursor.first(); cursor.valid; cursor.next()) {
    records++;
    const { address, type } = placeIn(decodeValue(cursor.value).data);
    const list = type === identifierType.full ? foreign : ids;
    if (list === ids && lists === 'foreign') continue;
    if (!list.addPlain(address)) for (const id of objectsIn(address.toString('utf8'))) list.add(id);
  }
  if (records !== count) throw new SrvError('corrupt', `range ${name} has ${records} records, but its metarange says ${count}`);
  const sorted = [sortIds(ids.bytes), sortIds(foreign.bytes)] as const;
  const head = Buffer.alloc(headBytes);
  head.write(magic, 'latin1');
  head.writeUInt32LE(sorted[0].length / idBytes, magic.length);
  head.writeUInt32LE(sorted[1].length / idBytes, magic.length + 4);
  return [head, ...sorted];
}

/** Reads a range and writes its ids. @throws as {@link rangeFileOf}. */
export function writeRangeFile(range: Buffer, name: string, count: number, path: string, lists: RangeIds): void {
  const parts = rangeFileOf(range, name, count, lists);
  const descriptor = openSync(`${path}.new`, 'w');
  for (const part of parts) for (let at = 0; at < part.length; ) at += writeSync(descriptor, part, at);
  // The length of a list does not show that a power cut emptied it.
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(`${path}.new`, path);
}

/** The whole list of a range file, for looking up single ids. */
export function readRangeFile(path: string): Buffer {
  const bytes = readFileSync(path);
  const lists = listsIn(bytes, bytes.length);
  if (!lists) throw new SrvError('corrupt', `${path} is not a list of object ids; remove it`);
  return bytes.subarray(headBytes);
}

/** Address and address type of an entry, without the rest. */
function placeIn(entry: Buffer): { readonly address: Buffer; readonly type: number } {
  let address: Buffer = Buffer.alloc(0);
  let type: number = identifierType.byPrefix;
  const reader = new ProtoReader(entry, 'entry');
  while (reader.next()) {
    if (reader.field === 1) address = reader.bytes;
    else if (reader.field === 6) type = reader.int;
  }
  return { address, type };
}

/** A list that grows. */
class Ids {
  #bytes = Buffer.allocUnsafe(idBytes * 1024);
  #length = 0;

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  addPlain(address: Buffer): boolean {
    this.#reserve();
    if (!packPlain(this.#bytes, this.#length, address)) return false;
    this.#length += idBytes;
    return true;
  }

  add(id: string): void {
    this.#reserve();
    this.#length += this.#bytes.write(id, this.#length, 'latin1');
  }

  #reserve(): void {
    if (this.#length + idBytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(this.#bytes.length * 2);
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

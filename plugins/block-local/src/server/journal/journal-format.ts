/**
 * A segment of the journal of small files. Numbers are little-endian.
 *
 *   head     7  magic: "srv-jnl"
 *            1  version, 1; the head stays as it is in every version
 *            2  length of the boot id
 *               boot id of the machine, UTF-8; empty if it has no boot id
 *            4  CRC-32 of all before it
 *
 *   record   4  CRC-32 of the rest of the record
 *            1  kind: 1 put, 2 forget
 *            2  length of the name
 *            4  length of the content, 0 for forget
 *            8  when the file was last written, in nanoseconds since 1970; 0 for forget
 *               name: path relative to the base folder, UTF-8
 *               content
 *
 * `put`: the file of that name has this content. `forget`: the earlier records of that name are void. Records follow
 * each other to the end; the first one that is cut short or damaged ends the segment: nothing in it was acknowledged.
 */
import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { isPlain } from '../files/file-name.js';

export interface PutRecord {
  readonly kind: 'put';
  readonly name: string;
  readonly mtimeNs: bigint;
  /** At most {@link maxContentBytes}. */
  readonly content: Uint8Array;
}

interface ForgetRecord {
  readonly kind: 'forget';
  readonly name: string;
}

export type JournalRecord = PutRecord | ForgetRecord;

/** A record and the position after it in its segment. */
export interface FoundRecord {
  readonly record: JournalRecord;
  readonly end: number;
}

interface Segment {
  readonly bootId: string;
  /** In order; records that no store can have written, such as one of a name that is not plain, are left out. */
  readonly records: Iterable<FoundRecord>;
}

const magic = Buffer.from('srv-jnl');
const version = 1;
const versionBytes = 1;
const lengthAt = magic.length + versionBytes;
const lengthBytes = 2;
const crcBytes = 4;
const recordHeadBytes = 19;
const kinds = { put: 1, forget: 2 } as const;

export const maxContentBytes = 64 << 10;
/** Bytes of the longest path a file system takes. */
export const maxNameBytes = 4096;
const maxBootIdBytes = 256;
/** Bytes of a head at most. */
export const maxHeadBytes = lengthAt + lengthBytes + maxBootIdBytes + crcBytes;

export function encodeHead(bootId: string): Buffer {
  const id = Buffer.from(bootId).subarray(0, maxBootIdBytes);
  const head = Buffer.alloc(lengthAt + lengthBytes + id.length + crcBytes);
  magic.copy(head);
  head.writeUInt8(version, magic.length);
  head.writeUInt16LE(id.length, lengthAt);
  id.copy(head, lengthAt + lengthBytes);
  head.writeUInt32LE(crc32(head.subarray(0, -crcBytes)), head.length - crcBytes);
  return head;
}

/** The records one after the other. @throws RangeError when a name or a content is too long. */
export function encodeRecords(records: readonly JournalRecord[]): Buffer {
  const names = records.map(({ name }) => Buffer.byteLength(name));
  const contents = records.map(record => (record.kind === 'put' ? record.content.length : 0));
  const run = Buffer.allocUnsafe(sum(names) + sum(contents) + records.length * recordHeadBytes);
  let at = 0;
  for (const [i, record] of records.entries()) at = encodeRecord(run, at, record, names[i] ?? 0);
  return run;
}

function encodeRecord(into: Buffer, at: number, record: JournalRecord, nameBytes: number): number {
  const [content, mtimeNs] = record.kind === 'put' ? [record.content, record.mtimeNs] : [none, 0n];
  if (nameBytes > maxNameBytes || content.length > maxContentBytes) throw new RangeError('too long for a record of the journal');
  into.writeUInt8(kinds[record.kind], at + 4);
  into.writeUInt16LE(nameBytes, at + 5);
  into.writeUInt32LE(content.length, at + 7);
  into.writeBigInt64LE(mtimeNs, at + 11);
  into.write(record.name, at + recordHeadBytes);
  into.set(content, at + recordHeadBytes + nameBytes);
  const end = at + recordHeadBytes + nameBytes + content.length;
  into.writeUInt32LE(crc32(into.subarray(at + crcBytes, end)), at);
  return end;
}

/** Boot id in a head; `undefined` for bytes that are not a head. @throws Error for a segment of another version. */
export function decodeHead(bytes: Buffer): { readonly bootId: string; readonly end: number } | undefined {
  const idAt = lengthAt + lengthBytes;
  if (bytes.length < idAt || !bytes.subarray(0, magic.length).equals(magic)) return undefined;
  const idEnd = idAt + bytes.readUInt16LE(lengthAt);
  if (idEnd - idAt > maxBootIdBytes || bytes.length < idEnd + crcBytes) return undefined;
  if (bytes.readUInt32LE(idEnd) !== crc32(bytes.subarray(0, idEnd))) return undefined;
  const found = bytes.readUInt8(magic.length);
  if (found !== version)
    throw new Error(`a journal of version ${found}, while this program knows ${version}: start the program that wrote it once more`);
  return { bootId: bytes.toString('utf8', idAt, idEnd), end: idEnd + crcBytes };
}

/** A segment; `undefined` for bytes that are not one, such as an unfinished one. @throws Error as {@link decodeHead}. */
export function decodeSegment(bytes: Buffer): Segment | undefined {
  const head = decodeHead(bytes);
  return head && { bootId: head.bootId, records: decodeRecords(bytes, head.end) };
}

function* decodeRecords(bytes: Buffer, start: number): Generator<FoundRecord> {
  for (let at = start; bytes.length - at >= recordHeadBytes; ) {
    const [kind, nameBytes, contentBytes] = [bytes.readUInt8(at + 4), bytes.readUInt16LE(at + 5), bytes.readUInt32LE(at + 7)];
    const nameAt = at + recordHeadBytes;
    const [contentAt, end] = [nameAt + nameBytes, nameAt + nameBytes + contentBytes];
    if (nameBytes > maxNameBytes || contentBytes > maxContentBytes || end > bytes.length) return;
    if (bytes.readUInt32LE(at) !== crc32(bytes.subarray(at + crcBytes, end))) return;
    const mtimeNs = bytes.readBigInt64LE(at + 11);
    at = end;
    const name = bytes.toString('utf8', nameAt, contentAt);
    if (!isUtf8(bytes.subarray(nameAt, contentAt)) || !isPlain(name) || mtimeNs < 0n) continue;
    if (kind === kinds.put) yield { record: { kind: 'put', name, mtimeNs, content: bytes.subarray(contentAt, end) }, end };
    else if (kind === kinds.forget && contentBytes === 0) yield { record: { kind: 'forget', name }, end };
    // A kind we do not know was written by a newer version.
    else return;
  }
}

const none = new Uint8Array();

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/** The directory at the end of a zip archive (APPNOTE 6.3), with zip64. */
import type { ByteSource } from '@srv/lib-records/tables/byte-source';
import type { FileContents } from './contents-format.js';

const endSize = 22;
const mostComment = 65_535;
/** Bytes of a directory that are read. */
const mostDirectory = 32 * 1024 * 1024;
const [endMark, end64Mark, locatorMark, entryMark] = [0x06054b50, 0x06064b50, 0x07064b50, 0x02014b50];
const methods: Readonly<Record<number, string>> = {
  0: 'stored',
  8: 'deflate',
  9: 'deflate64',
  12: 'bzip2',
  14: 'lzma',
  93: 'zstd',
  95: 'xz',
};

export interface ZipMember {
  readonly name: string;
  readonly size: number;
  readonly compressed: number;
  /** As the format numbers them. */
  readonly method: number;
  readonly modified: string;
  readonly isEncrypted: boolean;
  /** Of its local header in the archive. */
  readonly offset: number;
}

interface ZipDirectory {
  readonly members: readonly ZipMember[];
  /** As the archive says. */
  readonly count: number;
  /** There are more than were read. */
  readonly isCut: boolean;
}

export async function readZip(source: ByteSource): Promise<FileContents> {
  const { members, count, isCut } = await readDirectory(source);
  return { columns: zipColumns, rows: members.map(zipRow), facts: [['Members', String(count)]], isCut };
}

export const zipColumns: readonly string[] = ['name', 'bytes', 'compressed', 'method', 'modified', 'encrypted'];

export const zipRow = ({ name, size, compressed, method, modified: at, isEncrypted }: ZipMember): FileContents['rows'][number] => [
  name,
  size,
  compressed,
  methods[method] ?? String(method),
  at,
  isEncrypted ? 'yes' : 'no',
];

export async function readDirectory(source: ByteSource): Promise<ZipDirectory> {
  const { offset, size, count } = await directoryOf(source);
  if (offset + size > source.size) throw new Error('the directory of this archive is damaged');
  const bytes = await source.read(offset, offset + Math.min(size, mostDirectory));
  return { members: membersOf(new DataView(bytes.buffer)), count, isCut: size > mostDirectory };
}

interface Directory {
  readonly offset: number;
  readonly size: number;
  readonly count: number;
}

async function directoryOf(source: ByteSource): Promise<Directory> {
  const from = Math.max(0, source.size - endSize - mostComment - 20);
  const tail = new DataView((await source.read(from, source.size)).buffer);
  let at = tail.byteLength - endSize;
  while (at >= 0 && tail.getUint32(at, true) !== endMark) at--;
  if (at < 0) throw new Error('this is not a zip archive: it has no directory');
  const plain = { count: tail.getUint16(at + 10, true), size: tail.getUint32(at + 12, true), offset: tail.getUint32(at + 16, true) };
  if (at < 20 || tail.getUint32(at - 20, true) !== locatorMark) return plain;
  const place = Number(tail.getBigUint64(at - 12, true));
  if (place + 56 > source.size) throw new Error('the directory of this archive is damaged');
  const long = new DataView((await source.read(place, place + 56)).buffer);
  if (long.getUint32(0, true) !== end64Mark) throw new Error('the directory of this archive is damaged');
  const of = (offset: number): number => Number(long.getBigUint64(offset, true));
  return { count: of(32), size: of(40), offset: of(48) };
}

function membersOf(view: DataView): readonly ZipMember[] {
  const members: ZipMember[] = [];
  for (let at = 0; at + 46 <= view.byteLength && view.getUint32(at, true) === entryMark; ) {
    const u16 = (offset: number): number => view.getUint16(at + offset, true);
    const [nameLength, extraLength, commentLength] = [u16(28), u16(30), u16(32)];
    const next = at + 46 + nameLength + extraLength + commentLength;
    if (next > view.byteLength) break;
    const flags = u16(8);
    const bytes = new Uint8Array(view.buffer, view.byteOffset + at + 46, nameLength);
    const name = new TextDecoder(flags & 0x800 ? 'utf-8' : 'windows-1252').decode(bytes);
    const [size, compressed, offset] = sizesOf(view, at, at + 46 + nameLength, extraLength);
    members.push({ name, size, compressed, method: u16(10), modified: modified(u16(14), u16(12)), isEncrypted: (flags & 1) !== 0, offset });
    at = next;
  }
  return members;
}

type Sizes = readonly [size: number, compressed: number, offset: number];

/** The long ones stand in an extra field, in the order of the short ones that are full. */
function sizesOf(view: DataView, entry: number, extra: number, length: number): Sizes {
  let [size, compressed, offset] = [24, 20, 42].map(at => view.getUint32(entry + at, true)) as [number, number, number];
  for (let at = extra; at + 4 <= extra + length; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== 1) continue;
    const end = Math.min(extra + length, at + 4 + view.getUint16(at + 2, true));
    let value = at + 4;
    const long = (): number => {
      value += 8;
      return value <= end ? Number(view.getBigUint64(value - 8, true)) : 0;
    };
    if (size === 0xffffffff) size = long();
    if (compressed === 0xffffffff) compressed = long();
    if (offset === 0xffffffff) offset = long();
  }
  return [size, compressed, offset];
}

/** Of DOS: seconds in twos, without a time zone. */
function modified(date: number, time: number): string {
  const pad = (value: number): string => String(value).padStart(2, '0');
  const day = `${1980 + (date >> 9)}-${pad((date >> 5) & 15)}-${pad(date & 31)}`;
  return `${day} ${pad(time >> 11)}:${pad((time >> 5) & 63)}:${pad((time & 31) * 2)}`;
}

/** Pages of a TIFF (revision 6.0, BigTIFF, GeoTIFF): what their directories say, without their pictures. */
import { cachedSource } from '@srv/lib-records/tables/byte-source';
import type { ByteSource } from '@srv/lib-records/tables/byte-source';
import type { FileContents } from './contents-format.js';

const mostPages = 1000;
const mostEntries = 4096;
/** Bytes of a value that is shown. */
const mostValue = 4096;

const compressions: Readonly<Record<number, string>> = {
  1: 'none',
  2: 'CCITT',
  3: 'CCITT Group 3',
  4: 'CCITT Group 4',
  5: 'LZW',
  6: 'JPEG (old)',
  7: 'JPEG',
  8: 'deflate',
  32773: 'PackBits',
  32946: 'deflate',
  34712: 'JPEG 2000',
  34887: 'LERC',
  50000: 'Zstandard',
  50001: 'WebP',
};
const colors: Readonly<Record<number, string>> = {
  0: 'gray (white is 0)',
  1: 'gray',
  2: 'RGB',
  3: 'palette',
  4: 'mask',
  5: 'CMYK',
  6: 'YCbCr',
  8: 'CIELab',
};
const sampleFormats: Readonly<Record<number, string>> = { 1: 'uint', 2: 'int', 3: 'float', 5: 'complex int', 6: 'complex' };
/** Bytes of the types of values. */
const widths = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 0, 0, 0, 8, 8, 8];
const tags = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  color: 262,
  description: 270,
  samples: 277,
  tileWidth: 322,
  tileHeight: 323,
  format: 339,
  pixelScale: 33550,
  tiePoint: 33922,
  geoText: 34737,
} as const;

export async function readTiff(original: ByteSource): Promise<FileContents> {
  const source = await cachedSource(original);
  const start = view(await source.read(0, Math.min(16, source.size)));
  const mark = start.byteLength < 8 ? 0 : start.getUint16(0);
  if (mark !== 0x4949 && mark !== 0x4d4d) throw new Error('this is not a TIFF');
  const isLittle = mark === 0x4949;
  const version = start.getUint16(2, isLittle);
  if (version !== 42 && (version !== 43 || start.byteLength < 16)) throw new Error('this is not a TIFF');
  const file = { source, isLittle, isBig: version === 43 };
  const rows: (readonly (string | number | null)[])[] = [];
  const facts: (readonly [string, string])[] = [];
  const seen = new Set<number>();
  let at = file.isBig ? Number(start.getBigUint64(8, isLittle)) : start.getUint32(4, isLittle);
  while (at !== 0 && !seen.has(at) && rows.length < mostPages) {
    seen.add(at);
    const page = await readPage(file, at);
    rows.push(rowOf(page.values));
    if (rows.length === 1) facts.push(...factsOf(page.values));
    at = page.next;
  }
  const columns = ['width', 'height', 'samples', 'type', 'color', 'compression', 'tiles'];
  return { columns, rows, facts, isCut: at !== 0 && rows.length >= mostPages };
}

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

interface TiffFile {
  readonly source: ByteSource;
  readonly isLittle: boolean;
  /** Places have 64 bits. */
  readonly isBig: boolean;
}

type Values = ReadonlyMap<number, readonly number[] | string>;

async function readPage(file: TiffFile, at: number): Promise<{ readonly values: Values; readonly next: number }> {
  const { source, isLittle, isBig } = file;
  const [countBytes, entryBytes, placeBytes] = isBig ? [8, 20, 8] : [2, 12, 4];
  const place = (data: DataView, offset: number): number =>
    isBig ? Number(data.getBigUint64(offset, isLittle)) : data.getUint32(offset, isLittle);
  const bytes = async (from: number, length: number): Promise<DataView> => {
    if (from + length > source.size) throw new Error('this TIFF is damaged: it ends within a directory');
    return view(await source.read(from, from + length));
  };
  const head = await bytes(at, countBytes);
  const count = isBig ? Number(head.getBigUint64(0, isLittle)) : head.getUint16(0, isLittle);
  if (count > mostEntries) throw new Error('this TIFF is damaged: a directory has too many entries');
  const entries = await bytes(at + countBytes, count * entryBytes + placeBytes);
  const values = new Map<number, readonly number[] | string>();
  for (let entry = 0; entry < count; entry++) {
    const from = entry * entryBytes;
    const [tag, type] = [entries.getUint16(from, isLittle), entries.getUint16(from + 2, isLittle)];
    const width = widths[type] ?? 0;
    const length = place(entries, from + 4) * width;
    if (!Object.values(tags).some(known => known === tag) || width === 0 || length > mostValue) continue;
    const inline = from + 4 + placeBytes;
    const data =
      length <= placeBytes
        ? new DataView(entries.buffer, entries.byteOffset + inline, length)
        : await bytes(place(entries, inline), length);
    values.set(tag, valuesIn(data, type, width, isLittle));
  }
  return { values, next: place(entries, count * entryBytes) };
}

function valuesIn(data: DataView, type: number, width: number, isLittle: boolean): readonly number[] | string {
  if (type === 2) return new TextDecoder().decode(data).split('\0', 1)[0] ?? '';
  const read = (at: number): number => {
    if (type === 12) return data.getFloat64(at, isLittle);
    if (type === 11) return data.getFloat32(at, isLittle);
    if (width === 1) return data.getUint8(at);
    if (width === 2) return data.getUint16(at, isLittle);
    return width === 4 ? data.getUint32(at, isLittle) : Number(data.getBigUint64(at, isLittle));
  };
  return Array.from({ length: Math.floor(data.byteLength / width) }, (_, i) => read(i * width));
}

const numbersOf = (values: Values, tag: number): readonly number[] => {
  const found = values.get(tag);
  return typeof found === 'string' || found === undefined ? [] : found;
};

function rowOf(values: Values): readonly (string | number | null)[] {
  const of = (tag: number): number | undefined => numbersOf(values, tag)[0];
  const bits = numbersOf(values, tags.bits);
  const type = `${sampleFormats[of(tags.format) ?? 1] ?? 'bits'}${[...new Set(bits.length === 0 ? [1] : bits)].join('/')}`;
  const [color, compression, tile] = [of(tags.color), of(tags.compression) ?? 1, of(tags.tileWidth)];
  return [
    of(tags.width) ?? null,
    of(tags.height) ?? null,
    of(tags.samples) ?? 1,
    type,
    color === undefined ? null : (colors[color] ?? String(color)),
    compressions[compression] ?? String(compression),
    tile === undefined ? null : `${tile} × ${of(tags.tileHeight) ?? '?'}`,
  ];
}

function factsOf(values: Values): (readonly [string, string])[] {
  const description = values.get(tags.description);
  const geo = values.get(tags.geoText);
  const [scale, point] = [numbersOf(values, tags.pixelScale), numbersOf(values, tags.tiePoint)];
  return [
    ...(typeof description === 'string' && description !== '' ? [['Description', description] as const] : []),
    ...(typeof geo === 'string' && geo !== '' ? [['Coordinates', geo.replaceAll('|', ' ').trim()] as const] : []),
    ...(scale.length >= 2 ? [['Size of a pixel', scale.slice(0, 2).join(' × ')] as const] : []),
    ...(point.length >= 6 ? [['Origin', point.slice(3, 5).join(', ')] as const] : []),
  ];
}

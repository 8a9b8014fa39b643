/** Values of the columns of a batch, for some of its rows. */
import { float16, signed, utf8 } from '../value-text.js';
import { ArrowError } from './error.js';
import { arrowText, intervalText, valueField } from './text.js';
import type { Body, BufferPlace } from './body.js';
import type { ColumnLayout } from './layout.js';
import type { ArrowField, ArrowType } from './schema.js';
import type { ArrowValue } from './text.js';

type Values = ArrayLike<ArrowValue>;

/** Where the values of a batch are read from. */
export interface BatchBody {
  readonly body: Body;
  /** All values of a dictionary. */
  dictionary(field: ArrowField): Promise<Values>;
}

/** Items of lists that are made into texts at once, and bytes of values: lists and texts may refer to the same ones many times. */
const mostItems = 20_000_000;
const mostBytes = 1024 * 1024 * 1024;

/** @returns values of the rows from `from` to before `to`. */
export async function loadValues(column: ColumnLayout, source: BatchBody, from: number, to: number): Promise<Values> {
  const { field, rows, validity } = column;
  if (to > rows || from < 0) throw new ArrowError('a column of it has fewer rows than it should have');
  if (to <= from) return [];
  const type = field.dictionary?.index ?? field.type;
  const load = loaders[type.kind] as Loader;
  const [values, isThere] = await Promise.all([load(column, source, { type, from, to }), bitsOf(validity, source, from, to)]);
  const found = field.dictionary ? lookedUp(values, isThere, await source.dictionary(field)) : values;
  return isThere ? Array.from({ length: to - from }, (_, i) => (isThere(i) ? found[i] : null)) : found;
}

interface Part {
  readonly type: ArrowType;
  readonly from: number;
  readonly to: number;
}

type Loader = (column: ColumnLayout, source: BatchBody, part: Part) => Promise<Values>;

function lookedUp(places: Values, isThere: Bits | undefined, dictionary: Values): Values {
  return Array.from(places, (place, i) => {
    if (isThere && !isThere(i)) return null;
    const at = Number(place);
    if (!(at >= 0 && at < dictionary.length)) throw new ArrowError('a value of it is not in its dictionary');
    return dictionary[at];
  });
}

type Bits = (i: number) => boolean;

/** Bits from a row on; `undefined` where all of them are set. */
async function bitsOf(buffer: BufferPlace | undefined, { body }: BatchBody, from: number, to: number): Promise<Bits | undefined> {
  if (!buffer || buffer.length === 0) return undefined;
  const first = from >> 3;
  const bytes = await body.read(buffer, first, (to + 7) >> 3);
  const shift = from - first * 8;
  return i => (((bytes[(i + shift) >> 3] ?? 0) >> ((i + shift) & 7)) & 1) === 1;
}

/** Bytes of values of the same width. */
async function fixed(
  column: ColumnLayout,
  { body }: BatchBody,
  { from, to }: Part,
  width: number,
  at = 0,
): Promise<Uint8Array<ArrayBuffer>> {
  const buffer = column.buffers[at];
  if (!buffer) throw new ArrowError('a column of it has no values');
  return body.read(buffer, from * width, to * width);
}

type NumberArray = new (buffer: ArrayBuffer, offset: number, length: number) => ArrayLike<number | bigint>;

const numbers =
  (arrayOf: (type: ArrowType) => NumberArray & { readonly BYTES_PER_ELEMENT: number }): Loader =>
  async (column, source, part) => {
    const kind = arrayOf(part.type);
    const bytes = await fixed(column, source, part, kind.BYTES_PER_ELEMENT);
    const { buffer, byteOffset } = bytes.byteOffset % kind.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice();
    return new kind(buffer, byteOffset, part.to - part.from);
  };

const integers = {
  signed: { 8: Int8Array, 16: Int16Array, 32: Int32Array, 64: BigInt64Array },
  unsigned: { 8: Uint8Array, 16: Uint16Array, 32: Uint32Array, 64: BigUint64Array },
} as const;

type IntegerBits = 8 | 16 | 32 | 64;

async function floats(column: ColumnLayout, source: BatchBody, part: Part): Promise<Values> {
  if (part.type.kind === 'float' && part.type.bits !== 16) return wideFloats(column, source, part);
  const bytes = await fixed(column, source, part, 2);
  return Array.from({ length: part.to - part.from }, (_, i) => float16(bytes.subarray(i * 2, i * 2 + 2)));
}

const wideFloats = numbers(type => (type.kind === 'float' && type.bits === 32 ? Float32Array : Float64Array));

async function decimals(column: ColumnLayout, source: BatchBody, part: Part): Promise<Values> {
  const width = part.type.kind === 'decimal' ? part.type.bits / 8 : 16;
  const bytes = await fixed(column, source, part, width);
  return Array.from({ length: part.to - part.from }, (_, i) => signed(bytes.slice(i * width, (i + 1) * width).reverse()));
}

async function fixedBinaries(column: ColumnLayout, source: BatchBody, part: Part): Promise<Values> {
  const width = part.type.kind === 'fixed-binary' ? part.type.width : 0;
  const bytes = await fixed(column, source, part, width);
  return Array.from({ length: part.to - part.from }, (_, i) => bytes.subarray(i * width, (i + 1) * width));
}

async function intervals(column: ColumnLayout, source: BatchBody, part: Part): Promise<Values> {
  const unit = part.type.kind === 'interval' ? part.type.unit : 'months';
  const width = unit === 'months' ? 4 : unit === 'day-time' ? 8 : 16;
  const bytes = await fixed(column, source, part, width);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const int = (i: number, member: number): number => view.getInt32(i * width + member * 4, true);
  return Array.from({ length: part.to - part.from }, (_, i) => {
    if (unit === 'months') return intervalText(int(i, 0), 0, 0n, 0);
    if (unit === 'day-time') return intervalText(0, int(i, 0), BigInt(int(i, 1)), 3);
    return intervalText(int(i, 0), int(i, 1), view.getBigInt64(i * width + 8, true), 9);
  });
}

async function booleans({ buffers: [buffer] }: ColumnLayout, source: BatchBody, { from, to }: Part): Promise<Values> {
  if (!buffer || buffer.length * 8 < to) throw new ArrowError('a buffer of it is too short');
  const bits = await bitsOf(buffer, source, from, to);
  return Array.from({ length: to - from }, (_, i) => bits?.(i) ?? false);
}

/** Places in what follows, one more than there are rows. They never fall. */
async function offsetsOf(column: ColumnLayout, { body }: BatchBody, { from, to, type }: Part): Promise<readonly number[]> {
  const isLarge = type.kind.startsWith('large');
  const width = isLarge ? 8 : 4;
  const [buffer] = column.buffers;
  if (!buffer) throw new ArrowError('a column of it has no values');
  // A column without rows may have no offsets.
  const bytes = await body.read(buffer, from * width, (to + 1) * width);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const offsets: number[] = [];
  for (let i = 0; i <= to - from; i++) {
    const offset = isLarge ? Number(view.getBigInt64(i * width, true)) : view.getInt32(i * width, true);
    if (!(offset >= (offsets.at(-1) ?? 0))) throw new ArrowError('places in a column of it fall');
    offsets.push(offset);
  }
  return offsets;
}

async function binaries(column: ColumnLayout, source: BatchBody, part: Part): Promise<Values> {
  const offsets = await offsetsOf(column, source, part);
  const [start = 0, end = 0] = [offsets[0], offsets.at(-1)];
  const [, data] = column.buffers;
  if (!data) throw new ArrowError('a column of it has no values');
  const bytes = await source.body.read(data, start, end);
  const isText = 'isText' in part.type && part.type.isText;
  return Array.from({ length: part.to - part.from }, (_, i) => {
    const value = bytes.subarray((offsets[i] ?? 0) - start, (offsets[i + 1] ?? 0) - start);
    return isText ? (utf8(value) ?? value) : value;
  });
}

const viewBytes = 16;
/** Bytes that stand in the view itself. */
const mostInline = 12;

async function binaryViews(column: ColumnLayout, source: BatchBody, part: Part): Promise<Values> {
  const bytes = await fixed(column, source, part, viewBytes);
  const isThere = await bitsOf(column.validity, source, part.from, part.to);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = part.to - part.from;
  const ranges = new Map<number, Range>();
  let total = 0;
  const longAt = (i: number): { readonly buffer: number; readonly start: number; readonly length: number } | undefined => {
    const length = view.getInt32(i * viewBytes, true);
    if (length <= mostInline || (isThere && !isThere(i))) return undefined;
    return { buffer: view.getInt32(i * viewBytes + 8, true), start: view.getInt32(i * viewBytes + 12, true), length };
  };
  for (let i = 0; i < count; i++) {
    const long = longAt(i);
    if (!long) continue;
    total += long.length;
    if (long.start < 0 || total > mostBytes) throw new ArrowError('the texts of a column of it are too long');
    widen(ranges, long.buffer, long.start, long.start + long.length);
  }
  const loaded = new Map<number, Uint8Array>();
  for (const [number, { start, end }] of ranges) {
    const place = column.variadic[number];
    if (!place) throw new ArrowError('a column of it has too few buffers');
    loaded.set(number, await source.body.read(place, start, end));
  }
  const isText = 'isText' in part.type && part.type.isText;
  return Array.from({ length: count }, (_, i) => {
    const long = longAt(i);
    const at = i * viewBytes + 4;
    const start = long ? long.start - (ranges.get(long.buffer)?.start ?? 0) : 0;
    const value = long
      ? (loaded.get(long.buffer)?.subarray(start, start + long.length) ?? new Uint8Array())
      : bytes.subarray(at, at + Math.min(mostInline, Math.max(0, view.getInt32(i * viewBytes, true))));
    return isText ? (utf8(value) ?? value) : value;
  });
}

interface Range {
  start: number;
  end: number;
}

function widen(ranges: Map<number, Range>, name: number, start: number, end: number): void {
  const known = ranges.get(name);
  if (!known) ranges.set(name, { start, end });
  else {
    known.start = Math.min(known.start, start);
    known.end = Math.max(known.end, end);
  }
}

/** A value inside another one, in the manner of JSON. */
function itemText(field: ArrowField, value: ArrowValue): string {
  if (value === null || value === undefined) return 'null';
  const { text, isText } = arrowText(valueField(field).type, value);
  return isText ? JSON.stringify(text) : text;
}

function childOf(column: ColumnLayout, place = 0): ColumnLayout {
  const child = column.children[place];
  if (!child) throw new ArrowError('a nested column of it has no values');
  return child;
}

/** @param places of the items of each row. */
async function listTexts(column: ColumnLayout, source: BatchBody, places: readonly Range[]): Promise<Values> {
  const child = childOf(column);
  const filled = places.filter(({ start, end }) => end > start);
  if (filled.reduce((sum, { start, end }) => sum + end - start, 0) > mostItems) throw new ArrowError('lists of it are too long');
  const start = filled.reduce((least, range) => Math.min(least, range.start), Infinity);
  const end = filled.reduce((most, range) => Math.max(most, range.end), 0);
  const isMap = column.field.type.kind === 'map';
  const items =
    filled.length === 0 ? [] : isMap ? await memberTexts(child, source, start, end) : await itemTexts(child, source, start, end);
  const [open, close] = isMap ? '{}' : '[]';
  return places.map(
    range => `${open}${range.end > range.start ? items.slice(range.start - start, range.end - start).join(',') : ''}${close}`,
  );
}

async function itemTexts(child: ColumnLayout, source: BatchBody, start: number, end: number): Promise<readonly string[]> {
  return Array.from(await loadValues(child, source, start, end), value => itemText(child.field, value));
}

/** Keys are always texts, whatever their type. */
async function memberTexts(entries: ColumnLayout, source: BatchBody, start: number, end: number): Promise<readonly string[]> {
  const [key, content] = [childOf(entries), childOf(entries, 1)];
  const [keys, contents] = await Promise.all([loadValues(key, source, start, end), loadValues(content, source, start, end)]);
  return Array.from(keys, (name, i) => {
    const shown = name === null || name === undefined ? 'null' : arrowText(valueField(key.field).type, name).text;
    return `${JSON.stringify(shown)}:${itemText(content.field, contents[i])}`;
  });
}

async function lists(column: ColumnLayout, source: BatchBody, part: Part): Promise<Values> {
  const offsets = await offsetsOf(column, source, part);
  const isThere = await bitsOf(column.validity, source, part.from, part.to);
  const ranges = Array.from({ length: part.to - part.from }, (_, i) =>
    isThere && !isThere(i) ? { start: 0, end: 0 } : { start: offsets[i] ?? 0, end: offsets[i + 1] ?? 0 },
  );
  return listTexts(column, source, ranges);
}

async function listViews(column: ColumnLayout, source: BatchBody, part: Part): Promise<Values> {
  const width = part.type.kind === 'large-list-view' ? 8 : 4;
  const [starts, sizes] = await Promise.all([fixed(column, source, part, width), fixed(column, source, part, width, 1)]);
  const isThere = await bitsOf(column.validity, source, part.from, part.to);
  const at = (bytes: Uint8Array, i: number): number => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return width === 8 ? Number(view.getBigInt64(i * 8, true)) : view.getInt32(i * 4, true);
  };
  const ranges = Array.from({ length: part.to - part.from }, (_, i) => {
    const [start, size] = isThere && !isThere(i) ? [0, 0] : [at(starts, i), at(sizes, i)];
    if (start < 0 || size < 0) throw new ArrowError('places in a column of it are impossible');
    return { start, end: start + size };
  });
  return listTexts(column, source, ranges);
}

async function fixedLists(column: ColumnLayout, source: BatchBody, { type, from, to }: Part): Promise<Values> {
  const size = type.kind === 'fixed-list' ? type.size : 0;
  const ranges = Array.from({ length: to - from }, (_, i) => ({ start: (from + i) * size, end: (from + i + 1) * size }));
  return listTexts(column, source, ranges);
}

async function structs({ children }: ColumnLayout, source: BatchBody, { from, to }: Part): Promise<Values> {
  const members = await Promise.all(children.map(child => loadValues(child, source, from, to)));
  const names = children.map(({ field }) => JSON.stringify(field.name));
  const member = (i: number) => (child: ColumnLayout, j: number) => `${names[j]}:${itemText(child.field, members[j]?.[i])}`;
  return Array.from({ length: to - from }, (_, i) => `{${children.map(member(i)).join(',')}}`);
}

async function unions(column: ColumnLayout, source: BatchBody, part: Part): Promise<Values> {
  if (part.type.kind !== 'union') return [];
  const { isDense, ids } = part.type;
  const kinds = new Int8Array((await fixed(column, source, part, 1)).buffer);
  const offsets = isDense ? new DataView((await fixed(column, source, part, 4, 1)).buffer) : undefined;
  const childAt = (i: number): number => (ids.length > 0 ? ids.indexOf(kinds[i] ?? 0) : (kinds[i] ?? 0));
  const rowAt = (i: number): number => (offsets ? offsets.getInt32(i * 4, true) : part.from + i);
  const ranges = new Map<number, Range>();
  for (let i = 0; i < part.to - part.from; i++) widen(ranges, childAt(i), rowAt(i), rowAt(i) + 1);
  const loaded = new Map<number, Values>();
  for (const [place, { start, end }] of ranges) loaded.set(place, await loadValues(childOf(column, place), source, start, end));
  return Array.from({ length: part.to - part.from }, (_, i) => {
    const place = childAt(i);
    const value = loaded.get(place)?.[rowAt(i) - (ranges.get(place)?.start ?? 0)];
    return value === null || value === undefined ? null : itemText(childOf(column, place).field, value);
  });
}

/** Each run ends before the row that its number names. */
async function runs(column: ColumnLayout, source: BatchBody, { from, to }: Part): Promise<Values> {
  const [ends, values] = [childOf(column), childOf(column, 1)];
  const places = await loadValues(ends, source, 0, ends.rows);
  const endOf = (run: number): number => Number(places[run] ?? 0);
  const runAt = (row: number): number => {
    let [low, high] = [0, ends.rows];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (endOf(middle) > row) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  const [first, last] = [runAt(from), runAt(to - 1)];
  const loaded = await loadValues(values, source, first, last + 1);
  const found: ArrowValue[] = [];
  for (let run = first; run <= last; run++)
    for (let row = from + found.length, end = Math.min(to, endOf(run)); row < end; row++) found.push(loaded[run - first]);
  if (found.length !== to - from) throw new ArrowError('runs of it end too early');
  return found;
}

const nulls: Loader = (_, __, { from, to }) => Promise.resolve(Array.from({ length: to - from }, () => null));
const times: Loader = numbers(type => ('bits' in type && type.bits === 32 ? Int32Array : BigInt64Array));

const loaders: Readonly<Record<ArrowType['kind'], Loader>> = {
  null: nulls,
  bool: booleans,
  int: numbers(type => (type.kind === 'int' ? integers[type.isSigned ? 'signed' : 'unsigned'][type.bits as IntegerBits] : Int32Array)),
  float: floats,
  decimal: decimals,
  date: numbers(type => (type.kind === 'date' && type.isMilliseconds ? BigInt64Array : Int32Array)),
  time: times,
  timestamp: times,
  duration: times,
  interval: intervals,
  'fixed-binary': fixedBinaries,
  binary: binaries,
  'large-binary': binaries,
  'binary-view': binaryViews,
  list: lists,
  'large-list': lists,
  map: lists,
  'list-view': listViews,
  'large-list-view': listViews,
  'fixed-list': fixedLists,
  struct: structs,
  union: unions,
  'run-end': runs,
};

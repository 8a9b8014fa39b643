/** The schema of an Arrow file (format: Schema.fbs of Apache Arrow). */
import { ArrowError } from './error.js';
import type { FlatTable } from './flatbuffer.js';

type Unit = 0 | 3 | 6 | 9;

export type ArrowType =
  | { readonly kind: 'null' | 'bool' | 'list' | 'large-list' | 'list-view' | 'large-list-view' | 'struct' | 'map' | 'run-end' }
  | { readonly kind: 'int'; readonly bits: number; readonly isSigned: boolean }
  | { readonly kind: 'float'; readonly bits: number }
  | { readonly kind: 'binary' | 'large-binary' | 'binary-view'; readonly isText: boolean }
  | { readonly kind: 'fixed-binary'; readonly width: number }
  | { readonly kind: 'fixed-list'; readonly size: number }
  | { readonly kind: 'decimal'; readonly bits: number; readonly precision: number; readonly scale: number }
  | { readonly kind: 'date'; readonly isMilliseconds: boolean }
  /** Units are digits of the fraction of a second. */
  | { readonly kind: 'time'; readonly digits: Unit; readonly bits: number }
  | { readonly kind: 'timestamp'; readonly digits: Unit; readonly zone: string | undefined }
  | { readonly kind: 'duration'; readonly digits: Unit }
  | { readonly kind: 'interval'; readonly unit: 'months' | 'day-time' | 'month-day-nano' }
  | { readonly kind: 'union'; readonly isDense: boolean; readonly ids: readonly number[] };

export interface ArrowField {
  readonly name: string;
  readonly type: ArrowType;
  readonly children: readonly ArrowField[];
  /** Values are places in a dictionary. */
  readonly dictionary?: { readonly id: bigint; readonly index: ArrowType } | undefined;
}

const mostDepth = 64;
const mostFields = 1_000_000;
const units: readonly Unit[] = [0, 3, 6, 9];
const intervals = ['months', 'day-time', 'month-day-nano'] as const;

export function readSchema(schema: FlatTable): readonly ArrowField[] {
  if (schema.short(0) !== 0) throw new ArrowError('it is big-endian, which is not read');
  let count = 0;
  const fieldOf = (field: FlatTable, depth: number): ArrowField => {
    if (depth > mostDepth || ++count > mostFields) throw new ArrowError('its schema does not end');
    const dictionary = field.table(4);
    return {
      name: field.text(0) ?? '',
      type: typeOf(field.byte(2), field.table(3)),
      children: field.tables(5).map(child => fieldOf(child, depth + 1)),
      dictionary: dictionary && { id: dictionary.name(0), index: intType(dictionary.table(1)) },
    };
  };
  return schema.tables(1).map(field => fieldOf(field, 0));
}

const intType = (type: FlatTable | undefined): ArrowType =>
  type
    ? { kind: 'int', bits: oneOf(type.int(0), [8, 16, 32, 64]), isSigned: type.byte(1) !== 0 }
    : { kind: 'int', bits: 32, isSigned: true };

function oneOf<T extends number>(value: number, allowed: readonly T[]): T {
  const found = allowed.find(each => each === value);
  if (found === undefined) throw new ArrowError(`a type of it has the size ${value}`);
  return found;
}

const unitOf = (place: number): Unit => units[place] ?? 0;

/** By the numbers of the union `Type`. */
const types: Readonly<Record<number, (type: FlatTable) => ArrowType>> = {
  1: () => ({ kind: 'null' }),
  2: intType,
  3: type => ({ kind: 'float', bits: [16, 32, 64][type.short(0)] ?? 64 }),
  4: () => ({ kind: 'binary', isText: false }),
  5: () => ({ kind: 'binary', isText: true }),
  6: () => ({ kind: 'bool' }),
  7: type => ({ kind: 'decimal', precision: type.int(0), scale: scaleOf(type.int(1)), bits: oneOf(type.int(2, 128), [32, 64, 128, 256]) }),
  8: type => ({ kind: 'date', isMilliseconds: type.short(0, 1) === 1 }),
  9: type => ({ kind: 'time', digits: unitOf(type.short(0, 1)), bits: oneOf(type.int(1, 32), [32, 64]) }),
  10: type => ({ kind: 'timestamp', digits: unitOf(type.short(0)), zone: type.text(1) }),
  11: type => ({ kind: 'interval', unit: intervals[type.short(0)] ?? 'months' }),
  12: () => ({ kind: 'list' }),
  13: () => ({ kind: 'struct' }),
  14: type => ({ kind: 'union', isDense: type.short(0) === 1, ids: type.ints(1) }),
  15: type => ({ kind: 'fixed-binary', width: sizeOf(type.int(0)) }),
  16: type => ({ kind: 'fixed-list', size: sizeOf(type.int(0)) }),
  17: () => ({ kind: 'map' }),
  18: type => ({ kind: 'duration', digits: unitOf(type.short(0, 1)) }),
  19: () => ({ kind: 'large-binary', isText: false }),
  20: () => ({ kind: 'large-binary', isText: true }),
  21: () => ({ kind: 'large-list' }),
  22: () => ({ kind: 'run-end' }),
  23: () => ({ kind: 'binary-view', isText: false }),
  24: () => ({ kind: 'binary-view', isText: true }),
  25: () => ({ kind: 'list-view' }),
  26: () => ({ kind: 'large-list-view' }),
};

function typeOf(number: number, type: FlatTable | undefined): ArrowType {
  const read = types[number];
  if (!read || !type) throw new ArrowError(`it has a column of a type that is not known (${number})`);
  return read(type);
}

function sizeOf(size: number): number {
  if (size < 0) throw new ArrowError('a size of it is impossible');
  return size;
}

/** Digits after the point; below 0 zeros before it. */
function scaleOf(scale: number): number {
  if (Math.abs(scale) > 1000) throw new ArrowError(`a decimal of it has the scale ${scale}`);
  return scale;
}

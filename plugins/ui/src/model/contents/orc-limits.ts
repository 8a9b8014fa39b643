/** The least and the greatest value of a column, as statistics of ORC have them: one message for each kind of values. */
import { fieldsOf, zigzag } from './protobuf-fields.js';
import type { FieldValue } from './protobuf-fields.js';

type Fields = ReadonlyMap<number, readonly FieldValue[]>;
type Text = (value: FieldValue) => string | null;

const text: Text = value => (typeof value === 'bigint' ? null : new TextDecoder().decode(value));
const signed = (value: FieldValue): bigint | undefined => (typeof value === 'bigint' ? zigzag(value) : undefined);
const integer: Text = value => signed(value)?.toString() ?? null;
const double: Text = value =>
  typeof value === 'bigint' || value.length !== 8
    ? null
    : String(new DataView(value.buffer, value.byteOffset, value.byteLength).getFloat64(0, true));
const dayMs = 86_400_000;
const isoOf = (ms: number): string | null => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : null);
const date: Text = value => isoOf(Number(signed(value) ?? 0n) * dayMs)?.slice(0, -14) ?? null;
const time: Text = value => isoOf(Number(signed(value) ?? 0n));

/** Field of the statistics → fields of the least and the greatest value in its message. */
const places: readonly (readonly [field: number, least: number, greatest: number, text: Text])[] = [
  [2, 1, 2, integer],
  [3, 1, 2, double],
  [4, 1, 2, text],
  [6, 1, 2, text],
  [7, 1, 2, date],
  [9, 3, 4, time],
];

export function limitsIn(statistics: Uint8Array): readonly [string | null, string | null] {
  const fields = fieldsOf(statistics);
  for (const [field, least, greatest, show] of places) {
    const [message] = fields.get(field) ?? [];
    if (message === undefined || typeof message === 'bigint') continue;
    const own = fieldsOf(message);
    return [shown(own, least, show), shown(own, greatest, show)];
  }
  return [null, null];
}

function shown(fields: Fields, field: number, show: Text): string | null {
  const [value] = fields.get(field) ?? [];
  return value === undefined ? null : show(value);
}

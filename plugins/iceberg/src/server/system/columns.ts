/** Columns of system tables as Iceberg and Parquet write them. */
import type { SystemTable } from '@srv/lib-records/tables/system-tables';
import type { JsonObject } from '../exact-json.js';

type SqlType = SystemTable['columns'][string];
type Element = {
  readonly name: string;
  readonly type?: 'BYTE_ARRAY' | 'INT64';
  readonly repetition_type?: 'OPTIONAL' | 'REPEATED' | 'REQUIRED';
  readonly num_children?: number;
  readonly field_id?: number;
  readonly converted_type?: 'MAP' | 'TIMESTAMP_MICROS' | 'UTF8';
  readonly logical_type?: { readonly type: 'TIMESTAMP'; readonly isAdjustedToUTC: boolean; readonly unit: 'MICROS' };
};

/** Fields are numbered from 1 on, and parts of maps after all of them. */
function numbered(
  columns: SystemTable['columns'],
): readonly { readonly name: string; readonly type: SqlType; readonly id: number; readonly inner: number }[] {
  const names = Object.entries(columns);
  return names.map(([name, type], i) => ({ name, type, id: i + 1, inner: names.length + 2 * i + 1 }));
}

export function icebergFields(columns: SystemTable['columns']): JsonObject[] {
  return numbered(columns).map(({ name, type, id, inner }) => ({ id, name, required: false, type: icebergType(type, inner) }));
}

function icebergType(type: SqlType, inner: number): unknown {
  switch (type) {
    case 'VARCHAR':
      return 'string';
    case 'BIGINT':
      return 'long';
    case 'TIMESTAMP':
      return 'timestamptz';
    case 'MAP(VARCHAR, VARCHAR)':
      return { type: 'map', 'key-id': inner, key: 'string', 'value-id': inner + 1, value: 'string', 'value-required': true };
  }
}

export function parquetSchema(columns: SystemTable['columns']): Element[] {
  const fields = numbered(columns);
  return [{ name: 'table', num_children: fields.length }, ...fields.flatMap(parquetField)];
}

function parquetField({ name, type, id, inner }: ReturnType<typeof numbered>[number]): Element[] {
  const field = { name, field_id: id, repetition_type: 'OPTIONAL' } as const;
  const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' } as const;
  switch (type) {
    case 'VARCHAR':
      return [{ ...field, type: 'BYTE_ARRAY', converted_type: 'UTF8' }];
    case 'BIGINT':
      return [{ ...field, type: 'INT64' }];
    case 'TIMESTAMP':
      return [
        {
          ...field,
          type: 'INT64',
          converted_type: 'TIMESTAMP_MICROS',
          logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
        },
      ];
    case 'MAP(VARCHAR, VARCHAR)':
      return [
        { ...field, num_children: 1, converted_type: 'MAP' },
        { name: 'key_value', num_children: 2, repetition_type: 'REPEATED' },
        { name: 'key', field_id: inner, ...text },
        { name: 'value', field_id: inner + 1, ...text },
      ];
  }
}

/** A value of a row as the writer of Parquet takes it. */
export function parquetValue(type: SqlType, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (type === 'BIGINT') return BigInt(value as number);
  return type === 'TIMESTAMP' ? new Date(value as number) : value;
}

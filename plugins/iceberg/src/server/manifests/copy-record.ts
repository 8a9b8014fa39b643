/** A copy of a record with other values in some of its fields; all else is copied byte by byte. */
import type { AvroRecord, AvroType } from '@srv/lib-records/tables/avro/schema';
import type { AvroValue, Cursor } from '../avro/cursor.js';

/** By the id of the field. @returns what stands in its place; `undefined`: it stays as it is. */
export type FieldChanges = ReadonlyMap<number, (type: AvroType, value: AvroValue) => Buffer | undefined>;

/** The field of an entry that describes its file: changes apply to the fields in it. */
export const fileId = 2;

/** @param cursor at the beginning of the entry of a manifest. */
export function copyEntry(cursor: Cursor, entry: AvroRecord, changes: FieldChanges): Buffer {
  const pieces: Buffer[] = [];
  copyFields(cursor, entry, changes, pieces);
  return Buffer.concat(pieces);
}

function copyFields(cursor: Cursor, { fields }: AvroRecord, changes: FieldChanges, pieces: Buffer[]): void {
  for (const { id, type } of fields) {
    const start = cursor.at;
    const change = id === undefined ? undefined : changes.get(id);
    if (id === fileId && type.kind === 'record') copyFields(cursor, type, changes, pieces);
    else if (change) {
      const next = change(type, cursor.read(type));
      pieces.push(next ?? cursor.since(start));
    } else {
      cursor.skip(type);
      pieces.push(cursor.since(start));
    }
  }
}

/** Addresses in manifests. */
import { AvroError } from '@srv/lib-records/tables/avro/error';
import { Cursor } from '../avro/cursor.js';
import { encodedLong, framed, openAvro, writeAvro } from '../avro/file.js';
import type { AvroRecord, AvroType } from '@srv/lib-records/tables/avro/schema';
import type { AvroValue } from '../avro/cursor.js';

/** Fields of a file: what it holds, its address, its format, and the file whose rows it deletes. */
const [contentId, pathId, formatId, referencedId, fileId] = [134, 100, 101, 143, 2];
const positionDeletes = 1n;

/**
 * A manifest with other addresses; all else is copied byte by byte.
 * @throws AvroError for a manifest of deletions by position: their files name data files by address, row by row.
 */
export async function mapManifestPaths(bytes: Buffer, sync: Buffer, map: (address: string) => string): Promise<Buffer> {
  const { schema, metadata, each } = openAvro(bytes);
  const records: Buffer[] = [];
  await each(cursor => {
    const pieces: Buffer[] = [];
    copyEntry(cursor, schema, map, pieces);
    records.push(Buffer.concat(pieces));
  });
  return writeAvro(metadata, sync, records);
}

function copyEntry(cursor: Cursor, { fields }: AvroRecord, map: (address: string) => string, pieces: Buffer[]): void {
  for (const { id, type } of fields) {
    const start = cursor.at;
    if (id === fileId && type.kind === 'record') copyFile(cursor, type, map, pieces);
    else {
      cursor.skip(type);
      pieces.push(cursor.since(start));
    }
  }
}

function copyFile(cursor: Cursor, { fields }: AvroRecord, map: (address: string) => string, pieces: Buffer[]): void {
  const found = new Map<number, AvroValue>();
  for (const { id, type } of fields) {
    const start = cursor.at;
    if (id !== undefined && [contentId, pathId, formatId, referencedId].includes(id)) found.set(id, cursor.read(type));
    else cursor.skip(type);
    const value = id === pathId || id === referencedId ? found.get(id) : undefined;
    pieces.push(typeof value === 'string' ? encodedText(type, map(value)) : cursor.since(start));
  }
  const format = found.get(formatId);
  if (found.get(contentId) === positionDeletes && !(typeof format === 'string' && format.toLowerCase() === 'puffin'))
    throw new AvroError(
      `${String(found.get(pathId))} deletes rows by position, and names data files by their addresses; rewrite the data files of the table first, where it comes from`,
    );
}

function encodedText(type: AvroType, text: string): Buffer {
  const bytes = framed(Buffer.from(text));
  if (type.kind !== 'union') return bytes;
  return Buffer.concat([encodedLong(type.branches.findIndex(({ kind }) => kind === 'string')), bytes]);
}

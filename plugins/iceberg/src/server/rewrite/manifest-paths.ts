/** Addresses in manifests. */
import { Cursor } from '../avro/cursor.js';
import { encodedLong, framed, openAvro, writeAvro } from '../avro/file.js';
import { copyEntry, fileId } from '../manifests/copy-record.js';
import { entryStatus } from '../manifests/manifest.js';
import { deletedPathId } from './position-deletes.js';
import type { AvroRecord, AvroType } from '@srv/lib-records/tables/avro/schema';
import type { AvroFields, AvroValue } from '../avro/cursor.js';
import type { FieldChanges } from '../manifests/copy-record.js';
import type { PathBounds } from './position-deletes.js';

const statusId = 0;
/** Fields of a file: what it holds, its address, its format, and the file whose rows it deletes. */
const [contentId, pathId, formatId, referencedId] = [134, 100, 101, 143];
/** Of a file that is written again: its length, the bytes of its columns, bounds of their values, where its row groups begin. */
const [lengthId, columnSizesId, lowerId, upperId, offsetsId] = [104, 108, 125, 128, 132];
/** Of a bound: the column, and the value. */
const [keyId, valueIds] = [[126, 129], new Set([127, 130])];
const positionDeletes = 1n;

/** A file of deletions by position, as an entry has it. */
export interface DeletesEntry {
  readonly path: string;
  readonly format: string;
  /** The entry says that the file is not part of the table any more: nothing reads it. */
  readonly isRemoved: boolean;
}

/** A file of deletions that was written again. */
export interface MovedDeletes {
  readonly path: string;
  /** Bytes; absent: only its name changes. */
  readonly length?: number;
  readonly bounds?: PathBounds | undefined;
}

export interface ManifestMoves {
  address(address: string): string;
  deletes(entry: DeletesEntry): Promise<MovedDeletes>;
}

/** A manifest with other addresses. All else is copied byte by byte, but for what it says of files of deletions by position: they are written again. */
export async function mapManifestPaths(bytes: Buffer, sync: Buffer, moves: ManifestMoves): Promise<Buffer> {
  const { schema, metadata, each } = openAvro(bytes);
  const moved = metadata.get('content')?.toString('latin1') === 'data' ? [] : await movedDeletes(bytes, moves);
  const records: Buffer[] = [];
  await each(cursor => {
    records.push(copyEntry(cursor, schema, changesOf(moves, moved[records.length])));
  });
  return writeAvro(metadata, sync, records);
}

/** For each entry in turn; `undefined` for those that are copied. */
async function movedDeletes(bytes: Buffer, moves: ManifestMoves): Promise<readonly (MovedDeletes | undefined)[]> {
  const found: (DeletesEntry | undefined)[] = [];
  const { schema, each } = openAvro(bytes);
  await each(cursor => {
    found.push(deletesOf(cursor, schema));
  });
  const moved: (MovedDeletes | undefined)[] = [];
  for (const entry of found) moved.push(entry && (await moves.deletes(entry)));
  return moved;
}

const deletesFields = new Set([contentId, pathId, formatId]);

function deletesOf(cursor: Cursor, { fields }: AvroRecord): DeletesEntry | undefined {
  let file: AvroFields | undefined;
  let status: AvroValue = null;
  for (const { id, type } of fields) {
    if (id === fileId && type.kind === 'record') file = cursor.fields(type, deletesFields);
    else if (id === statusId) status = cursor.read(type);
    else cursor.skip(type);
  }
  const format = String(file?.get(formatId)).toLowerCase();
  // A deletion vector names its data file in the entry only.
  if (file?.get(contentId) !== positionDeletes || format === 'puffin') return undefined;
  return { path: String(file.get(pathId)), format, isRemoved: status === BigInt(entryStatus.deleted) };
}

function changesOf(moves: ManifestMoves, deletes: MovedDeletes | undefined): FieldChanges {
  const address = (type: AvroType, value: AvroValue): Buffer | undefined =>
    typeof value === 'string' ? encodedText(type, moves.address(value)) : undefined;
  if (!deletes) return new Map([pathId, referencedId].map(id => [id, address]));
  const { path, length, bounds } = deletes;
  return new Map([
    [pathId, type => encodedText(type, path)],
    [referencedId, address],
    [lengthId, () => (length === undefined ? undefined : encodedLong(length))],
    [columnSizesId, nothing],
    [offsetsId, nothing],
    [lowerId, (type, value) => boundsWith(type, value, bounds?.lower)],
    [upperId, (type, value) => boundsWith(type, value, bounds?.upper)],
  ] satisfies [number, (type: AvroType, value: AvroValue) => Buffer | undefined][]);
}

function encodedText(type: AvroType, text: string): Buffer {
  return inUnion(type, 'string', framed(Buffer.from(text)));
}

function inUnion(type: AvroType, wanted: AvroType['kind'], bytes: Buffer): Buffer {
  return type.kind === 'union' ? Buffer.concat([encodedLong(type.branches.findIndex(({ kind }) => kind === wanted)), bytes]) : bytes;
}

/** Where the field may be left out. */
function nothing(type: AvroType): Buffer | undefined {
  return type.kind === 'union' ? inUnion(type, 'null', Buffer.alloc(0)) : undefined;
}

/** Bounds of the columns of a file of deletions, with another one of its addresses: readers find by them which data files it is about. */
function boundsWith(type: AvroType, value: AvroValue, path: Buffer | undefined): Buffer | undefined {
  const list = type.kind === 'union' ? type.branches.find(({ kind }) => kind === 'array') : type;
  if (path === undefined || list?.kind !== 'array' || list.items.kind !== 'record' || !Array.isArray(value)) return nothing(type);
  const { fields } = list.items;
  const pieces = value.flatMap(bound => {
    if (!(bound instanceof Map)) return [];
    const isPath = keyId.some(id => bound.get(id) === BigInt(deletedPathId));
    return fields.map(({ id = -1 }) => {
      const known: AvroValue = bound.get(id) ?? null;
      if (valueIds.has(id)) return framed(isPath ? path : (known as Buffer));
      return encodedLong(known as bigint);
    });
  });
  const end = encodedLong(0);
  return inUnion(type, 'array', Buffer.concat(value.length === 0 ? [end] : [encodedLong(value.length), ...pieces, end]));
}

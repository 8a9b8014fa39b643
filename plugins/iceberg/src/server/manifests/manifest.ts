/** Manifests: the files that a part of a table has. Each line is an entry: a file, and what a snapshot did with it. */

import { AvroError } from '@srv/lib-records/tables/avro/error';
import { Cursor } from '../avro/cursor.js';
import { encodedLong, openAvro, writeAvro } from '../avro/file.js';
import { copyEntry, fileId } from './copy-record.js';
import type { AvroRecord, AvroType } from '@srv/lib-records/tables/avro/schema';
import type { AvroFields } from '../avro/cursor.js';

export const entryStatus = { existing: 0, added: 1, deleted: 2 } as const;

export interface ManifestEntry {
  readonly status: number;
  /** Absent: that of the manifest. */
  readonly snapshotId: bigint | undefined;
  readonly sequence: bigint | undefined;
  readonly fileSequence: bigint | undefined;
  readonly path: string;
  /** The file, and for deletions in a part of a file where that begins: two entries with the same key are the same file. */
  readonly key: string;
  readonly rows: bigint;
  readonly firstRowId: bigint | undefined;
}

const fileFields = new Set([100, 103, 142, 144]);

/** Calls `visit` for each entry of a manifest. @throws AvroError. */
export async function eachEntry(bytes: Buffer, visit: (entry: ManifestEntry) => void): Promise<void> {
  const { schema, each } = openAvro(bytes);
  await each(cursor => visit(readEntry(cursor, schema)));
}

function readEntry(cursor: Cursor, schema: AvroRecord): ManifestEntry {
  let file: AvroFields | undefined;
  const numbers = new Map<number, bigint>();
  for (const { id, type } of schema.fields) {
    if (id === fileId && type.kind === 'record') file = cursor.fields(type, fileFields);
    else if (id === undefined || id === fileId) cursor.skip(type);
    else {
      const value = cursor.read(type);
      if (typeof value === 'bigint') numbers.set(id, value);
    }
  }
  const path = file?.get(100);
  if (typeof path !== 'string') throw new AvroError('an entry of it names no file');
  const whole = (id: number): bigint | undefined => {
    const value = file?.get(id);
    return typeof value === 'bigint' ? value : undefined;
  };
  const offset = whole(144);
  return {
    status: Number(numbers.get(0) ?? entryStatus.existing),
    snapshotId: numbers.get(1),
    sequence: numbers.get(3),
    fileSequence: numbers.get(4),
    path,
    key: offset === undefined ? path : `${path}#${offset}`,
    rows: whole(103) ?? 0n,
    firstRowId: whole(142),
  };
}

/** What an entry of a rewritten manifest says; the rest of it stays as it is. */
interface EntryChange {
  readonly status: number;
  readonly snapshotId: bigint | undefined;
  readonly sequence: bigint | undefined;
  readonly fileSequence: bigint | undefined;
  readonly firstRowId: bigint | undefined;
}

interface Rewritten {
  readonly bytes: Buffer;
  readonly entries: number;
}

/**
 * A manifest with other facts about its files. Bytes that describe a file are copied.
 * @param change `undefined`: the entry is left out.
 */
export async function rewriteManifest(
  bytes: Buffer,
  sync: Buffer,
  change: (entry: ManifestEntry) => EntryChange | undefined,
): Promise<Rewritten> {
  const { schema, metadata, each } = openAvro(bytes);
  const records: Buffer[] = [];
  await each(cursor => {
    const start = cursor.at;
    const entry = readEntry(cursor, schema);
    const changed = change(entry);
    if (changed) records.push(rewritten(cursor.since(start), schema, changed));
  });
  return { bytes: await writeAvro(metadata, sync, records), entries: records.length };
}

function rewritten(entry: Buffer, schema: AvroRecord, change: EntryChange): Buffer {
  const values: readonly (readonly [number, bigint | undefined])[] = [
    [0, BigInt(change.status)],
    [1, change.snapshotId],
    [3, change.sequence],
    [4, change.fileSequence],
    [142, change.firstRowId],
  ];
  return copyEntry(new Cursor(entry), schema, new Map(values.map(([id, value]) => [id, type => encodedOptional(type, value)])));
}

function encodedOptional(type: AvroType, value: bigint | undefined): Buffer {
  if (type.kind === 'union') {
    const wanted = type.branches.findIndex(({ kind }) => (value === undefined ? kind === 'null' : kind === 'int' || kind === 'long'));
    if (wanted < 0) throw new AvroError('its entries cannot hold what is inherited');
    return value === undefined ? encodedLong(wanted) : Buffer.concat([encodedLong(wanted), encodedLong(value)]);
  }
  if (value === undefined || (type.kind !== 'int' && type.kind !== 'long'))
    throw new AvroError('its entries cannot hold what is inherited');
  return encodedLong(value);
}

/** Manifest lists: which manifests a snapshot has. */

import { AvroError } from '@srv/lib-records/tables/avro/error';
import { encodedLong, field, framed, openAvro, writeAvro } from '../avro/file.js';
import type { AvroFields, AvroValue } from '../avro/cursor.js';

/** One line of a manifest list. */
export interface ManifestFile {
  readonly path: string;
  /** Bytes. */
  readonly length: bigint;
  readonly specId: number;
  readonly content: 'data' | 'deletes';
  readonly sequence: bigint;
  readonly minSequence: bigint;
  /** That added it. */
  readonly snapshotId: bigint;
  readonly files: Counts;
  readonly rows: Counts;
  /** Bounds of the partition fields. */
  readonly partitions: readonly FieldSummary[] | undefined;
  readonly firstRowId: bigint | undefined;
}

/** Where the writer has not counted: -1. */
interface Counts {
  readonly added: bigint;
  readonly existing: bigint;
  readonly deleted: bigint;
}

interface FieldSummary {
  readonly hasNull: boolean;
  readonly hasNan: boolean | undefined;
  readonly lower: Buffer | undefined;
  readonly upper: Buffer | undefined;
}

/** Lines of the longest list that is read. */
const maxManifests = 200_000;

/** @throws AvroError. */
export async function readManifestList(bytes: Buffer): Promise<ManifestFile[]> {
  const { schema, each } = openAvro(bytes);
  const found: ManifestFile[] = [];
  await each(cursor => {
    if (found.length >= maxManifests) throw new AvroError(`it names more than ${maxManifests} manifests`);
    found.push(manifestOf(cursor.fields(schema)));
  });
  return found;
}

function manifestOf(line: AvroFields): ManifestFile {
  const path = line.get(500);
  if (typeof path !== 'string') throw new AvroError('a line of it names no manifest');
  // Names of encrypted manifests lead to nothing that can be read.
  if (line.get(519) instanceof Buffer) throw new AvroError('it names an encrypted manifest');
  const counted = (added: number, existing: number, deleted: number): Counts => ({
    added: whole(line, added, -1n),
    existing: whole(line, existing, -1n),
    deleted: whole(line, deleted, -1n),
  });
  const partitions = line.get(507);
  return {
    path,
    length: whole(line, 501),
    specId: Number(whole(line, 502)),
    content: whole(line, 517) === 0n ? 'data' : 'deletes',
    sequence: whole(line, 515),
    minSequence: whole(line, 516),
    snapshotId: whole(line, 503, -1n),
    files: counted(504, 505, 506),
    rows: counted(512, 513, 514),
    partitions: Array.isArray(partitions) ? partitions.map(summaryOf) : undefined,
    firstRowId: line.has(520) && line.get(520) !== null ? whole(line, 520) : undefined,
  };
}

function summaryOf(value: AvroValue): FieldSummary {
  if (!(value instanceof Map)) throw new AvroError('bounds of a partition are malformed');
  const bytes = (id: number): Buffer | undefined => {
    const found: unknown = value.get(id);
    return found instanceof Buffer ? found : undefined;
  };
  const nan: unknown = value.get(518);
  return { hasNull: value.get(509) === true, hasNan: typeof nan === 'boolean' ? nan : undefined, lower: bytes(510), upper: bytes(511) };
}

function whole(fields: AvroFields, id: number, otherwise = 0n): bigint {
  const value = fields.get(id);
  return typeof value === 'bigint' ? value : otherwise;
}

interface ListFacts {
  readonly formatVersion: number;
  readonly snapshotId: bigint;
  readonly parentId: bigint | undefined;
  readonly sequence: bigint;
  readonly firstRowId: bigint | undefined;
}

/** A manifest list of any format version. */
export function writeManifestList(manifests: readonly ManifestFile[], facts: ListFacts, sync: Buffer): Promise<Buffer> {
  const { formatVersion, snapshotId, parentId, sequence, firstRowId } = facts;
  const fields = formatVersion === 1 ? firstListFields : formatVersion >= 3 ? [...listFields, firstRowField] : listFields;
  const metadata = new Map<string, string>([
    ['avro.schema', JSON.stringify({ type: 'record', name: 'manifest_file', fields })],
    ['snapshot-id', String(snapshotId)],
    ['parent-snapshot-id', String(parentId ?? 'null')],
    ...(formatVersion >= 2 ? [['sequence-number', String(sequence)] as const] : []),
    ...(formatVersion >= 3 ? [['first-row-id', String(firstRowId ?? 0)] as const] : []),
    ['format-version', String(formatVersion)],
  ]);
  const encoded = manifests.map(manifest => encodedManifest(manifest, formatVersion));
  return writeAvro(new Map([...metadata].map(([name, value]) => [name, Buffer.from(value)])), sync, encoded);
}

const optional = (id: number, name: string, type: unknown): object => ({ ...field(id, name, ['null', type]), default: null });

const partitionSummary = {
  type: 'array',
  'element-id': 508,
  items: {
    type: 'record',
    name: 'r508',
    fields: [
      field(509, 'contains_null', 'boolean'),
      optional(518, 'contains_nan', 'boolean'),
      optional(510, 'lower_bound', 'bytes'),
      optional(511, 'upper_bound', 'bytes'),
    ],
  },
};

const listFields = [
  field(500, 'manifest_path', 'string'),
  field(501, 'manifest_length', 'long'),
  field(502, 'partition_spec_id', 'int'),
  field(517, 'content', 'int'),
  field(515, 'sequence_number', 'long'),
  field(516, 'min_sequence_number', 'long'),
  field(503, 'added_snapshot_id', 'long'),
  field(504, 'added_files_count', 'int'),
  field(505, 'existing_files_count', 'int'),
  field(506, 'deleted_files_count', 'int'),
  field(512, 'added_rows_count', 'long'),
  field(513, 'existing_rows_count', 'long'),
  field(514, 'deleted_rows_count', 'long'),
  optional(507, 'partitions', partitionSummary),
  optional(519, 'key_metadata', 'bytes'),
];
/** Version 1 has no sequence numbers, and counts may be missing. */
const firstListFields = [
  field(500, 'manifest_path', 'string'),
  field(501, 'manifest_length', 'long'),
  field(502, 'partition_spec_id', 'int'),
  optional(503, 'added_snapshot_id', 'long'),
  optional(504, 'added_files_count', 'int'),
  optional(505, 'existing_files_count', 'int'),
  optional(506, 'deleted_files_count', 'int'),
  optional(507, 'partitions', partitionSummary),
  optional(512, 'added_rows_count', 'long'),
  optional(513, 'existing_rows_count', 'long'),
  optional(514, 'deleted_rows_count', 'long'),
];
const firstRowField = optional(520, 'first_row_id', 'long');

const absent = encodedLong(0);
const present = encodedLong(1);

function encodedManifest(manifest: ManifestFile, formatVersion: number): Buffer {
  const { files, rows, partitions, firstRowId } = manifest;
  if (formatVersion === 1) return encodedFirst(manifest);
  return Buffer.concat([
    framed(Buffer.from(manifest.path)),
    encodedLong(manifest.length),
    encodedLong(manifest.specId),
    encodedLong(manifest.content === 'data' ? 0 : 1),
    ...[manifest.sequence, manifest.minSequence, manifest.snapshotId].map(encodedLong),
    // Version 2 demands counts; a file of unknown content may have some of each.
    ...[files.added, files.existing, files.deleted, rows.added, rows.existing, rows.deleted].map(count =>
      encodedLong(count < 0n ? 1n : count),
    ),
    partitions === undefined ? absent : encodedPartitions(partitions),
    absent,
    ...(formatVersion < 3 ? [] : firstRowId === undefined ? [absent] : [present, encodedLong(firstRowId)]),
  ]);
}

function encodedFirst({ path, length, specId, snapshotId, files, rows, partitions }: ManifestFile): Buffer {
  const counted = (count: bigint): Buffer => (count < 0n ? absent : Buffer.concat([present, encodedLong(count)]));
  return Buffer.concat([
    framed(Buffer.from(path)),
    encodedLong(length),
    encodedLong(specId),
    counted(snapshotId),
    ...[files.added, files.existing, files.deleted].map(counted),
    partitions === undefined ? absent : encodedPartitions(partitions),
    ...[rows.added, rows.existing, rows.deleted].map(counted),
  ]);
}

function encodedPartitions(partitions: readonly FieldSummary[]): Buffer {
  const bytes = (value: Buffer | undefined): Buffer => (value === undefined ? absent : Buffer.concat([present, framed(value)]));
  const flag = (value: boolean): Buffer => Buffer.from([value ? 1 : 0]);
  const items = partitions.map(({ hasNull, hasNan, lower, upper }) =>
    Buffer.concat([flag(hasNull), hasNan === undefined ? absent : Buffer.concat([present, flag(hasNan)]), bytes(lower), bytes(upper)]),
  );
  return Buffer.concat([present, ...(items.length === 0 ? [] : [encodedLong(items.length), ...items]), encodedLong(0)]);
}

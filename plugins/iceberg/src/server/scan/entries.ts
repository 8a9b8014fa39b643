/** Files of a manifest as a scan needs them. */
import { AvroError } from '@srv/lib-records/tables/avro/error';
import { openAvro } from '../avro/file.js';
import { entryStatus } from '../manifests/manifest.js';
import type { AvroRecord } from '@srv/lib-records/tables/avro/schema';
import type { AvroFields, AvroValue, Cursor } from '../avro/cursor.js';
import type { ManifestFile } from '../manifests/manifest-list.js';

export interface LiveFile {
  readonly content: 'data' | 'positions' | 'equality';
  readonly sequence: bigint;
  readonly address: string;
  /** In lower case: `parquet`, `puffin`, … */
  readonly format: string;
  /** Spec and values, as bytes: equal for files of one partition. */
  readonly partition: string;
  readonly specId: number;
  /** Of columns whose values are compared. */
  readonly equalityIds: readonly number[];
  /** Of a deletion vector: the data file, and where it lies in its own. */
  readonly dataFile: string | undefined;
  readonly offset: number | undefined;
  readonly length: number | undefined;
}

const ids = { content: 134, address: 100, format: 101, partition: 102, keys: 131, equality: 135, dataFile: 143, offset: 144, length: 145 };
const wanted = new Set([ids.content, ids.address, ids.format, ids.keys, ids.equality, ids.dataFile, ids.offset, ids.length]);
const contents = ['data', 'positions', 'equality'] as const;

/** Calls `visit` for each file that the manifest has still. @throws AvroError. */
export async function eachLiveFile(bytes: Buffer, manifest: ManifestFile, visit: (file: LiveFile) => void): Promise<void> {
  const { schema, each } = openAvro(bytes);
  await each(cursor => {
    const file = readLiveFile(cursor, schema, manifest);
    if (file) visit(file);
  });
}

function readLiveFile(cursor: Cursor, schema: AvroRecord, manifest: ManifestFile): LiveFile | undefined {
  let [status, sequence]: [AvroValue | undefined, AvroValue | undefined] = [undefined, undefined];
  let file: { readonly fields: AvroFields; readonly partition: string } | undefined;
  for (const { id, type } of schema.fields)
    if (id === 2 && type.kind === 'record') file = readDataFile(cursor, type);
    else if (id === 0) status = cursor.read(type);
    else if (id === 3) sequence = cursor.read(type);
    else cursor.skip(type);
  if (status === BigInt(entryStatus.deleted)) return undefined;
  const address = file?.fields.get(ids.address);
  if (!file || typeof address !== 'string') throw new AvroError('an entry of it names no file');
  const { fields } = file;
  if (fields.get(ids.keys) instanceof Buffer) throw new AvroError(`it names an encrypted file, ${address}`);
  const content = contents[number(fields, ids.content) ?? 0];
  if (!content) throw new AvroError(`the content of ${address} is unknown`);
  const [format, dataFile, equality] = [fields.get(ids.format), fields.get(ids.dataFile), fields.get(ids.equality)];
  return {
    content,
    // Files that a snapshot adds have the number of their manifest.
    sequence: typeof sequence === 'bigint' ? sequence : manifest.sequence,
    address,
    format: typeof format === 'string' ? format.toLowerCase() : '',
    partition: `${manifest.specId} ${file.partition}`,
    specId: manifest.specId,
    equalityIds: Array.isArray(equality) ? equality.map(Number) : [],
    dataFile: typeof dataFile === 'string' ? dataFile : undefined,
    offset: number(fields, ids.offset),
    length: number(fields, ids.length),
  };
}

function readDataFile(cursor: Cursor, { fields }: AvroRecord) {
  const found = new Map<number, AvroValue>();
  let partition = '';
  for (const { id, type } of fields) {
    const start = cursor.at;
    if (id !== undefined && wanted.has(id)) found.set(id, cursor.read(type));
    else cursor.skip(type);
    if (id === ids.partition) partition = cursor.since(start).toString('base64');
  }
  return { fields: found, partition };
}

function number(fields: AvroFields, id: number): number | undefined {
  const value = fields.get(id);
  return typeof value === 'bigint' ? Number(value) : undefined;
}

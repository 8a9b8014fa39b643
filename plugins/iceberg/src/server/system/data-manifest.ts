/** A manifest of new data files without partitions. */
import { encodedLong, field, framed, writeAvro } from '../avro/file.js';

interface DataFile {
  readonly address: string;
  /** Bytes. */
  readonly size: number;
  readonly rows: number;
}

const entrySchema = JSON.stringify({
  type: 'record',
  name: 'manifest_entry',
  fields: [
    field(0, 'status', 'int'),
    field(1, 'snapshot_id', 'long'),
    field(3, 'sequence_number', 'long'),
    field(4, 'file_sequence_number', 'long'),
    field(2, 'data_file', {
      type: 'record',
      name: 'r2',
      fields: [
        field(134, 'content', 'int'),
        field(100, 'file_path', 'string'),
        field(101, 'file_format', 'string'),
        field(102, 'partition', { type: 'record', name: 'r102', fields: [] }),
        field(103, 'record_count', 'long'),
        field(104, 'file_size_in_bytes', 'long'),
      ],
    }),
  ],
});

/** @param schema as the metadata of the table has it. @param sequence of the snapshot, which adds all files. */
export function dataManifest(
  files: readonly DataFile[],
  {
    schema,
    snapshotId,
    sequence,
    sync,
  }: { readonly schema: object; readonly snapshotId: bigint; readonly sequence: bigint; readonly sync: Buffer },
): Promise<Buffer> {
  const header = {
    'avro.schema': entrySchema,
    schema: JSON.stringify(schema),
    'schema-id': '0',
    'partition-spec': '[]',
    'partition-spec-id': '0',
    'format-version': '2',
    content: 'data',
  };
  const entries = files.map(({ address, size, rows }) =>
    Buffer.concat([
      encodedLong(1),
      ...[snapshotId, sequence, sequence, 0].map(value => encodedLong(value)),
      framed(Buffer.from(address)),
      framed(Buffer.from('PARQUET')),
      encodedLong(rows),
      encodedLong(size),
    ]),
  );
  return writeAvro(new Map(Object.entries(header).map(([name, value]) => [name, Buffer.from(value)])), sync, entries);
}

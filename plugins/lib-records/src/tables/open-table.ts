/** Opens a table by the name of its format; the code of a format is loaded with its first file. */
import type { ByteSource } from './byte-source.js';
import type { TableFile } from './table-file.js';
import type { TableFormat } from './table-format.js';

const openers: Readonly<Record<TableFormat, () => Promise<(source: ByteSource) => Promise<TableFile>>>> = {
  parquet: async () => (await import('./parquet-file.js')).openParquet,
  delimited: async () => (await import('./delimited-file.js')).openDelimited,
  'json-lines': async () => (await import('./json-lines-file.js')).openJsonLines,
  avro: async () => (await import('./avro-file.js')).openAvroTable,
  arrow: async () => (await import('./arrow-file.js')).openArrow,
};

export async function openTable(format: TableFormat, source: ByteSource): Promise<TableFile> {
  return (await openers[format]())(source);
}

/** Reads all of the file where its columns and rows are not known otherwise. @param onShare part that has been read. */
export async function complete(table: TableFile, onShare: (share: number) => void): Promise<number> {
  if (table.total === undefined) for await (const { share } of table.scan([])) onShare(share);
  return table.total ?? 0;
}

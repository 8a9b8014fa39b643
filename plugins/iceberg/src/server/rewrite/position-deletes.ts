/** Files that delete rows by position: each row names a data file by its address, and a row of it. */
import { setImmediate } from 'node:timers/promises';
import { messageOf } from '@srv/kernel';
import { memorySource } from '@srv/lib-records/tables/byte-source';
import { openParquet } from '@srv/lib-records/tables/parquet-file';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { CatalogError, isCatalogError } from '../errors.js';
import type { SchemaElement } from 'hyparquet-writer';

/** Field of the addresses, as the format reserves it. */
export const deletedPathId = 2_147_483_546;
const positionId = 2_147_483_545;

const schema: SchemaElement[] = [
  { name: 'table', num_children: 2 },
  { name: 'file_path', field_id: deletedPathId, repetition_type: 'REQUIRED', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  { name: 'pos', field_id: positionId, repetition_type: 'REQUIRED', type: 'INT64' },
];

/** Rows that are encoded without a break. */
const groupRows = 50_000;

/** First and last of the addresses, in the order of their bytes. */
export interface PathBounds {
  readonly lower: Buffer;
  readonly upper: Buffer;
}

interface MappedDeletes {
  readonly bytes: Buffer;
  /** Absent in a file without rows. */
  readonly bounds: PathBounds | undefined;
}

/**
 * A file of deletions with other addresses, in the same order.
 * @param address for errors.
 * @throws CatalogError 400 for a file that is not one, and for one that also holds the rows that it deletes.
 */
export async function mapDeletes(address: string, bytes: Uint8Array, map: (address: string) => string): Promise<MappedDeletes> {
  const refused = (why: string, cause?: unknown): CatalogError =>
    new CatalogError(
      400,
      'BadRequestException',
      `${address} deletes rows by position, and ${why}; rewrite the data files of the table first, where it comes from`,
      { cause },
    );
  const found = new Paths(map);
  const to = new ByteWriter();
  // Readers find the rows of a data file by these statistics.
  const writer = new ParquetWriter({
    writer: to,
    schema,
    statisticsTruncateLength: Number.POSITIVE_INFINITY,
    kvMetadata: [{ key: 'delete-type', value: 'position' }],
  });
  try {
    const file = await openParquet(memorySource(bytes));
    const names = file.columns.map(({ name }) => name);
    const other = names.find(name => name !== 'file_path' && name !== 'pos');
    if (other !== undefined) throw refused(`has a column ${other}, which is not rewritten`);
    const missing = ['file_path', 'pos'].find(name => !names.includes(name));
    if (missing !== undefined) throw refused(`has no column ${missing}`);
    for await (const { count, values } of file.scan([names.indexOf('file_path'), names.indexOf('pos')])) {
      for (let from = 0; from < count; from += groupRows) {
        const [paths = [], positions = []] = values.map(column => Array.prototype.slice.call(column, from, from + groupRows) as unknown[]);
        const data = paths.map(path => found.of(path));
        const columnData = [
          { name: 'file_path', data },
          { name: 'pos', data: positions as bigint[] },
        ];
        await writer.write({ columnData, rowGroupSize: groupRows });
        await setImmediate();
      }
    }
    await writer.finish();
  } catch (error) {
    if (isCatalogError(error)) throw error;
    throw refused(`cannot be read: ${messageOf(error)}`, error);
  }
  return { bytes: Buffer.from(to.getBytes()), bounds: found.bounds };
}

/** Addresses of rows: most are that of the row before. */
class Paths {
  readonly #map: (address: string) => string;
  readonly #mapped = new Map<string, string>();
  #last: { readonly stored: unknown; readonly path: string } | undefined;

  constructor(map: (address: string) => string) {
    this.#map = map;
  }

  /** @param stored bytes of a text. */
  of(stored: unknown): string {
    if (this.#last && this.#last.stored === stored) return this.#last.path;
    if (!(stored instanceof Uint8Array)) throw new Error('a row of it names no data file');
    const text = Buffer.from(stored.buffer, stored.byteOffset, stored.length).toString('utf8');
    const path = this.#mapped.get(text) ?? this.#map(text);
    this.#mapped.set(text, path);
    this.#last = { stored, path };
    return path;
  }

  get bounds(): PathBounds | undefined {
    const [lower, ...others] = [...this.#mapped.values()].map(text => Buffer.from(text)).sort(Buffer.compare);
    return lower === undefined ? undefined : { lower, upper: others.at(-1) ?? lower };
  }
}

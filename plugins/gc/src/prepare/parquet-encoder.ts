/** Encodes one Parquet file. Blocks while it packs: for a thread of its own, or few rows. */
import { gzipSync } from 'node:zlib';
import { ParquetWriter, fileWriter } from 'hyparquet-writer';
import type { SchemaElement } from 'hyparquet-writer';

/** Rows of one row group: a column each, in the order of the schema. */
export interface RowGroup {
  readonly columns: readonly (readonly (string | number)[])[];
}

export interface ParquetFacts {
  readonly path: string;
  readonly columns: readonly { readonly name: string; readonly type: 'text' | 'integer' }[];
}

export class ParquetEncoder {
  readonly #facts: ParquetFacts;
  readonly #writer: ParquetWriter;

  constructor(facts: ParquetFacts) {
    this.#facts = facts;
    this.#writer = new ParquetWriter({
      writer: fileWriter(facts.path),
      schema: schemaOf(facts),
      codec: 'GZIP',
      compressors: { GZIP: bytes => gzipSync(bytes) },
      statistics: false,
      createdBy: 'srv',
    });
  }

  write(group: RowGroup): void {
    const columnData = this.#facts.columns.map(({ name, type }, i) => {
      const values = group.columns[i] ?? [];
      return { name, data: type === 'text' ? values : BigInt64Array.from(values, value => BigInt(value)) };
    });
    void this.#writer.write({ columnData: columnData.map(c => ({ ...c, data: c.data as string[] | BigInt64Array })) });
  }

  async finish(): Promise<void> {
    await this.#writer.finish();
  }
}

function schemaOf({ columns }: ParquetFacts): SchemaElement[] {
  return [
    { name: 'schema', num_children: columns.length },
    ...columns.map(
      ({ name, type }): SchemaElement =>
        type === 'text'
          ? { name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' }
          : { name, type: 'INT64', converted_type: 'INT_64', repetition_type: 'REQUIRED' },
    ),
  ];
}

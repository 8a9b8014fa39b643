/** Columns of an ORC file, with what its footer says of their values. Its rows are not read. */
import { orcFooter } from './orc-footer.js';
import { limitsIn } from './orc-limits.js';
import { fieldsOf, packedNumbers } from './protobuf-fields.js';
import type { ByteSource } from '@srv/lib-records/tables/byte-source';
import type { FileContents } from './contents-format.js';
import type { FieldValue } from './protobuf-fields.js';

const kinds = [
  'boolean',
  'tinyint',
  'smallint',
  'int',
  'bigint',
  'float',
  'double',
  'string',
  'binary',
  'timestamp',
  'array',
  'map',
  'struct',
  'uniontype',
  'decimal',
  'date',
  'varchar',
  'char',
  'timestamp with local time zone',
] as const;

const note =
  'Rows of ORC files are not shown, and cannot be queried or compared here. As Parquet they can: in Python pyarrow.parquet.write_table(pyarrow.orc.read_table("a.orc"), "a.parquet") converts a file.';

/** Columns that are listed. */
const most = 10_000;

interface OrcType {
  readonly kind: string;
  readonly children: readonly number[];
  readonly names: readonly string[];
}

export async function readOrc(source: ByteSource): Promise<FileContents> {
  const { fields, compression } = await orcFooter(source);
  const rows = numberOf(fields.get(6));
  const types = messages(fields.get(4)).map(typeIn);
  const statistics = messages(fields.get(7));
  const names = namesOf(types);
  const topLevel = new Set(types[0]?.children);
  const listed = types.slice(1, most + 1).map((type, i) => {
    const column = i + 1;
    const found = statistics[column];
    const values = found ? numberOf(fieldsOf(found).get(1)) : undefined;
    const [least, greatest] = found ? limitsIn(found) : [null, null];
    // Values within lists and maps are more or fewer than rows.
    const nulls = topLevel.has(column) && values !== undefined ? rows - values : null;
    return [names[column] ?? '', type.kind, nulls, least, greatest];
  });
  return {
    columns: ['column', 'type', 'nulls', 'least', 'greatest'],
    rows: listed,
    facts: [
      ['Rows', String(rows)],
      ['Stripes', String(fields.get(3)?.length ?? 0)],
      ['Compression', compression],
    ],
    note,
    isCut: types.length - 1 > most,
  };
}

const messages = (values: readonly FieldValue[] = []): readonly Uint8Array[] =>
  values.filter((value): value is Uint8Array => typeof value !== 'bigint');

const numberOf = (values: readonly FieldValue[] = []): number => {
  const [value] = values;
  return typeof value === 'bigint' ? Number(value) : 0;
};

function typeIn(bytes: Uint8Array): OrcType {
  const fields = fieldsOf(bytes);
  const name = kinds[numberOf(fields.get(1))] ?? 'unknown';
  const [length, precision, scale] = [4, 5, 6].map(field => numberOf(fields.get(field)));
  const kind = name === 'decimal' ? `decimal(${precision}, ${scale})` : name === 'varchar' || name === 'char' ? `${name}(${length})` : name;
  const children = (fields.get(2) ?? []).flatMap(value => (typeof value === 'bigint' ? [Number(value)] : packedNumbers(value)));
  const text = new TextDecoder();
  return { kind, children, names: messages(fields.get(3)).map(bytes => text.decode(bytes)) };
}

/** Dotted names, by number of the type. A type comes before those that it is made of, so no loop is possible. */
function namesOf(types: readonly OrcType[]): readonly string[] {
  const names: string[] = [];
  for (const [i, { kind, children, names: own }] of types.entries())
    for (const [j, child] of children.entries()) {
      if (child <= i) throw new Error('the description of this file is damaged');
      const name = own[j] ?? (kind === 'map' ? ['key', 'value'][j] : 'element') ?? '';
      names[child] = names[i] === undefined ? name : `${names[i]}.${name}`;
    }
  return names;
}

/** What is selected of a query, so that a format can hold its values. */
import { quotedName, quotedText } from '@srv/lib-records/tables/sql/engine-sql';
import type { DuckDbPrepared, DuckDbType } from './duckdb.js';
import type { Job } from './job.js';

const typeIds = {
  float: 10,
  double: 11,
  interval: 15,
  hugeint: 16,
  decimal: 19,
  list: 24,
  struct: 25,
  map: 26,
  union: 28,
  uhugeint: 32,
  array: 33,
} as const;
/** Digits of decimal numbers that the engine writes to JSON; it rounds longer ones. */
const exactDigits = 18;

/** The greatest number of `DECIMAL(38, 0)`, the longest integer of Parquet. */
const greatestDecimal = '9'.repeat(38);

/** Writes a value another way; `undefined`: it stays as it is. */
type ValueRule = (value: string, type: DuckDbType) => string | undefined;

interface Rules {
  readonly value: ValueRule;
  /** Of keys of maps; absent: the format has texts for them. */
  readonly key?: ValueRule;
}

const rulesOf: Readonly<Partial<Record<Job['format'], Rules>>> = {
  /** JSON has neither infinities nor what is not a number. */
  json: { value: (value, type) => (isFloat(type) ? `CASE WHEN isfinite(${value}) THEN ${value} END` : undefined) },
  lines: {
    value(value, type) {
      const text = textOf(value);
      if (isFloat(type)) return `CASE WHEN isfinite(${value}) THEN CAST(${text} AS JSON) ELSE to_json(${text}) END`;
      return type.typeId === typeIds.decimal && (type.width ?? 0) > exactDigits ? text : undefined;
    },
  },
  parquet: { value: forParquet, key: forParquet },
};

/**
 * The engine would write integers of 128 bits as floats, and cut intervals to milliseconds. The type of a column depends on the query,
 * never on its rows: what does not fit is an error.
 */
function forParquet(value: string, { typeId }: DuckDbType): string | undefined {
  if (typeId === typeIds.uhugeint || typeId === typeIds.interval) return textOf(value);
  if (typeId !== typeIds.hugeint) return undefined;
  const problem = `${quotedText('Parquet cannot hold the integer ')} || ${value} || ${quotedText(', which has more than 38 digits: CAST it to VARCHAR')}`;
  return `CASE WHEN ${value} NOT BETWEEN -${greatestDecimal} AND ${greatestDecimal} THEN error(${problem}) ELSE CAST(${value} AS DECIMAL(38, 0)) END`;
}

function textOf(value: string): string {
  return `CAST(${value} AS VARCHAR)`;
}

export function projection(query: DuckDbPrepared, format: Job['format']): string {
  if (format === 'text') return 'SELECT CAST(COLUMNS(*) AS VARCHAR)';
  const rules = rulesOf[format];
  if (!rules) return 'SELECT *';
  const replaced = Array.from({ length: query.columnCount }, (_, index) => {
    const name = quotedName(query.columnName(index));
    const value = written(name, query.columnType(index), rules);
    return value === undefined ? [] : [`${value} AS ${name}`];
  }).flat();
  return replaced.length === 0 ? 'SELECT *' : `SELECT * REPLACE (${replaced.join(', ')})`;
}

/** @param depth of lists around the value. @returns a value by the rules, at any depth; `undefined`: it stays as it is. */
function written(value: string, type: DuckDbType, rules: Rules, depth = 0): string | undefined {
  switch (type.typeId) {
    case typeIds.list:
    case typeIds.array:
      return type.valueType && writtenList(value, type.valueType, rules, depth);
    case typeIds.map: {
      const [oldKeys, oldValues] = [`map_keys(${value})`, `map_values(${value})`];
      const keys = rules.key && type.keyType && writtenList(oldKeys, type.keyType, { ...rules, value: rules.key }, depth);
      const values = type.valueType && writtenList(oldValues, type.valueType, rules, depth);
      return keys === undefined && values === undefined ? undefined : `map(${keys ?? oldKeys}, ${values ?? oldValues})`;
    }
    case typeIds.struct: {
      const { entryNames = [], entryTypes = [] } = type;
      const isNamed = entryNames.some(name => name !== '');
      const fields = entryNames.map((name, i) => `struct_extract(${value}, ${isNamed ? quotedText(name) : i + 1})`);
      const changed = entryTypes.map((entry, i) => written(fields[i] ?? '', entry, rules, depth));
      if (changed.every(field => field === undefined)) return undefined;
      const packed = entryNames.map((name, i) => `${isNamed ? `${quotedName(name)} := ` : ''}${changed[i] ?? fields[i] ?? ''}`);
      return `CASE WHEN ${value} IS NOT NULL THEN ${isNamed ? 'struct_pack' : 'row'}(${packed.join(', ')}) END`;
    }
    case typeIds.union: {
      const { memberTags = [], memberTypes = [] } = type;
      const members = memberTags.map(tag => `union_extract(${value}, ${quotedText(tag)})`);
      const changed = memberTypes.map((member, i) => written(members[i] ?? '', member, rules, depth));
      if (changed.every(member => member === undefined)) return undefined;
      const cases = memberTags.map(
        (tag, i) => `WHEN ${quotedText(tag)} THEN to_json(struct_pack(${quotedName(tag)} := ${changed[i] ?? members[i] ?? ''}))`,
      );
      return `CASE union_tag(${value}) ${cases.join(' ')} END`;
    }
    default:
      return rules.value(value, type);
  }
}

function writtenList(value: string, type: DuckDbType, rules: Rules, depth: number): string | undefined {
  const member = `srv_${depth}`;
  const changed = written(member, type, rules, depth + 1);
  return changed && `list_transform(${value}, lambda ${member}: ${changed})`;
}

function isFloat({ typeId }: DuckDbType): boolean {
  return typeId === typeIds.float || typeId === typeIds.double;
}

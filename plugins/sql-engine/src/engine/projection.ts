/** What is selected of a query, so that a format can hold its values. */
import { quotedName, quotedText } from '@srv/lib-records/tables/sql/engine-sql';
import type { DuckDbPrepared, DuckDbType } from './duckdb.js';
import type { Job } from './job.js';

const typeIds = { float: 10, double: 11, decimal: 19, list: 24, struct: 25, map: 26, union: 28, array: 33 } as const;
/** Digits of decimal numbers that the engine writes to JSON; it rounds longer ones. */
const exactDigits = 18;

/** Writes a number another way; `undefined`: it stays as it is. */
type NumberRule = (value: string, type: DuckDbType) => string | undefined;

const numberRules: Readonly<Partial<Record<Job['format'], NumberRule>>> = {
  /** JSON has neither infinities nor what is not a number. */
  json: (value, type) => (isFloat(type) ? `CASE WHEN isfinite(${value}) THEN ${value} END` : undefined),
  lines(value, type) {
    const text = `CAST(${value} AS VARCHAR)`;
    if (isFloat(type)) return `CASE WHEN isfinite(${value}) THEN CAST(${text} AS JSON) ELSE to_json(${text}) END`;
    return type.typeId === typeIds.decimal && (type.width ?? 0) > exactDigits ? text : undefined;
  },
};

export function projection(query: DuckDbPrepared, format: Job['format']): string {
  if (format === 'text') return 'SELECT CAST(COLUMNS(*) AS VARCHAR)';
  const rule = numberRules[format];
  if (!rule) return 'SELECT *';
  const replaced = Array.from({ length: query.columnCount }, (_, index) => {
    const name = quotedName(query.columnName(index));
    const value = withNumbers(name, query.columnType(index), rule);
    return value === undefined ? [] : [`${value} AS ${name}`];
  }).flat();
  return replaced.length === 0 ? 'SELECT *' : `SELECT * REPLACE (${replaced.join(', ')})`;
}

/** @param depth of lists around the value. @returns a value with its numbers by the rule, at any depth; `undefined`: it has none of them. */
function withNumbers(value: string, type: DuckDbType, rule: NumberRule, depth = 0): string | undefined {
  switch (type.typeId) {
    case typeIds.list:
    case typeIds.array:
      return type.valueType && listWithNumbers(value, type.valueType, rule, depth);
    case typeIds.map: {
      const values = type.valueType && listWithNumbers(`map_values(${value})`, type.valueType, rule, depth);
      return values && `map(map_keys(${value}), ${values})`;
    }
    case typeIds.struct: {
      const { entryNames = [], entryTypes = [] } = type;
      const isNamed = entryNames.some(name => name !== '');
      const fields = entryNames.map((name, i) => `struct_extract(${value}, ${isNamed ? quotedText(name) : i + 1})`);
      const changed = entryTypes.map((entry, i) => withNumbers(fields[i] ?? '', entry, rule, depth));
      if (changed.every(field => field === undefined)) return undefined;
      const packed = entryNames.map((name, i) => `${isNamed ? `${quotedName(name)} := ` : ''}${changed[i] ?? fields[i] ?? ''}`);
      return `CASE WHEN ${value} IS NOT NULL THEN ${isNamed ? 'struct_pack' : 'row'}(${packed.join(', ')}) END`;
    }
    case typeIds.union: {
      const { memberTags = [], memberTypes = [] } = type;
      const members = memberTags.map(tag => `union_extract(${value}, ${quotedText(tag)})`);
      const changed = memberTypes.map((member, i) => withNumbers(members[i] ?? '', member, rule, depth));
      if (changed.every(member => member === undefined)) return undefined;
      const cases = memberTags.map(
        (tag, i) => `WHEN ${quotedText(tag)} THEN to_json(struct_pack(${quotedName(tag)} := ${changed[i] ?? members[i] ?? ''}))`,
      );
      return `CASE union_tag(${value}) ${cases.join(' ')} END`;
    }
    default:
      return rule(value, type);
  }
}

function listWithNumbers(value: string, type: DuckDbType, rule: NumberRule, depth: number): string | undefined {
  const member = `srv_${depth}`;
  const changed = withNumbers(member, type, rule, depth + 1);
  return changed && `list_transform(${value}, lambda ${member}: ${changed})`;
}

function isFloat({ typeId }: DuckDbType): boolean {
  return typeId === typeIds.float || typeId === typeIds.double;
}

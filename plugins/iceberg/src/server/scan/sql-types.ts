/** Types of Iceberg as SQL writes them. */
import { SrvError } from '@srv/kernel';
import { isObject } from '../exact-json.js';
import type { ScanColumn } from '@srv/lib-records/tables/catalog-tables';
import type { JsonObject } from '../exact-json.js';

const simple: Readonly<Record<string, string>> = {
  boolean: 'BOOLEAN',
  int: 'INTEGER',
  long: 'BIGINT',
  float: 'FLOAT',
  double: 'DOUBLE',
  date: 'DATE',
  time: 'TIME',
  timestamp: 'TIMESTAMP',
  timestamptz: 'TIMESTAMP WITH TIME ZONE',
  timestamp_ns: 'TIMESTAMP_NS',
  string: 'VARCHAR',
  uuid: 'UUID',
  binary: 'BLOB',
};
const maxDepth = 32;

/** Fields of a schema. @throws SrvError `unsupported` for types and names that SQL does not have, `invalid`. */
export function columnsOf(fields: readonly JsonObject[]): ScanColumn[] {
  checkCase(fields, 'columns');
  return fields.map(field => {
    const { id, name, type } = named(field);
    const column = { id, name, type: sqlType(type, name, 0) };
    const initial = initialOf(field, `column ${name}`);
    return initial === undefined ? column : { ...column, initial: column.type === 'BLOB' ? bytesText(initial, name) : initial };
  });
}

/** What rows have that were written before the field was. */
function initialOf(field: JsonObject, what: string): string | undefined {
  const initial = field['initial-default'];
  if (initial === undefined || initial === null) return undefined;
  if (isObject(initial) || Array.isArray(initial)) throw new SrvError('unsupported', `${what} has a default value that SQL cannot read`);
  return String(initial);
}

/** Bytes in hexadecimal digits, as SQL writes them. */
function bytesText(digits: string, column: string): string {
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(digits)) throw new SrvError('invalid', `column ${column} has a default value that is not hexadecimal`);
  return digits.replace(/../g, '\\x$&');
}

/** @throws SrvError `unsupported` for two names that differ in case: SQL returns the first field for both. */
function checkCase(fields: readonly JsonObject[], what: string): void {
  const names = new Map<string, string>();
  for (const { name } of fields.map(named)) {
    const folded = name.replace(/[A-Z]/g, letter => letter.toLowerCase());
    const other = names.get(folded);
    if (other !== undefined)
      throw new SrvError('unsupported', `SQL cannot distinguish the ${what} ${other} and ${name}; rename one of them`);
    names.set(folded, name);
  }
}

function sqlType(type: unknown, column: string, depth: number): string {
  if (depth > maxDepth) throw new SrvError('invalid', `column ${column} is nested too deeply`);
  const inner = (part: unknown): string => sqlType(part, column, depth + 1);
  if (typeof type === 'string') {
    const decimal = /^decimal\(\s*(\d{1,2})\s*,\s*(\d{1,2})\s*\)$/.exec(type);
    if (decimal) return `DECIMAL(${decimal[1]}, ${decimal[2]})`;
    if (/^fixed\[\d{1,9}\]$/.test(type)) return 'BLOB';
    if (Object.hasOwn(simple, type)) return simple[type] ?? type;
  }
  if (isObject(type))
    switch (type['type']) {
      case 'struct': {
        const fields = Array.isArray(type['fields']) ? type['fields'].filter(isObject) : [];
        if (fields.length === 0) break;
        checkCase(fields, `fields of column ${column}`);
        for (const field of fields)
          if (initialOf(field, `a field of column ${column}`) !== undefined)
            throw new SrvError('unsupported', `field ${named(field).name} of column ${column} has a default value, which SQL cannot read`);
        return `STRUCT(${fields
          .map(named)
          .map(({ name, type: of }) => `"${name.replaceAll('"', '""')}" ${inner(of)}`)
          .join(', ')})`;
      }
      case 'list':
        return `${inner(type['element'])}[]`;
      case 'map':
        return `MAP(${inner(type['key'])}, ${inner(type['value'])})`;
    }
  const shown = (typeof type === 'string' ? type : (JSON.stringify(type) ?? '')).slice(0, 100);
  throw new SrvError('unsupported', `column ${column} has the type ${shown}, which SQL cannot read`);
}

interface NamedField {
  readonly id: number;
  readonly name: string;
  readonly type: unknown;
}

function named(field: JsonObject): NamedField {
  const { id, name, type } = field;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0 || typeof name !== 'string')
    throw new SrvError('invalid', 'a field of the schema has no id or no name');
  return { id, name, type };
}

/**
 * SQL finds columns by their ids, and fields within them by their names.
 * @throws SrvError `unsupported` where one name within a column has meant different fields, or one field has had several names.
 */
export function checkNestedNames(schemas: readonly (readonly JsonObject[])[]): void {
  const names = new Map<number, string>();
  const ids = new Map<string, number>();
  const visit = (type: unknown, path: string, depth: number): void => {
    if (!isObject(type) || depth > maxDepth) return;
    for (const part of ['element', 'key', 'value']) visit(type[part], `${path}.${part}`, depth + 1);
    for (const field of Array.isArray(type['fields']) ? type['fields'].filter(isObject) : []) {
      const { id, name, type: of } = named(field);
      const full = JSON.stringify([path, name]);
      if ((names.get(id) ?? name) !== name || (ids.get(full) ?? id) !== id)
        throw new SrvError('unsupported', `field ${name} within a column was renamed, or replaced by another one; SQL cannot read that`);
      names.set(id, name);
      ids.set(full, id);
      visit(of, `${path}/${id}`, depth + 1);
    }
  };
  for (const fields of schemas)
    for (const field of fields) {
      const { id, type } = named(field);
      visit(type, String(id), 0);
    }
}

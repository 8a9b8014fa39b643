/** An expression as a function of rows, with what can be said of many rows at once. */
import { isNumeric } from './fields.js';
import { parseWhere } from './parse.js';
import { problemAt } from './tokens.js';
import { literalPrefix, wildcard } from './wildcard.js';
import type { Extremes, Field, FieldName, Row } from './fields.js';
import type { Expression, Operator, Value } from './parse.js';

export interface Filter {
  test(row: Row): boolean;
  /** Whether a group of rows may hold one that passes. */
  mayHold(extremes: Extremes): boolean;
  /** Fields that `test` reads. */
  readonly fields: ReadonlySet<FieldName | 'metadata'>;
  /** What the path of every row that passes begins with. */
  readonly prefix: string;
}

/** Passes everything. */
export const noFilter: Filter = { test: () => true, mayHold: () => true, fields: new Set(), prefix: '' };

/** @throws SrvError `invalid`. */
export function compileWhere(expression: string): Filter {
  return compile(parseWhere(expression));
}

function compile(expression: Expression): Filter {
  switch (expression.kind) {
    case 'and':
      return both(expression.parts.map(compile));
    case 'or':
      return either(expression.parts.map(compile));
    case 'not': {
      const { test, fields } = compile(expression.part);
      return { ...noFilter, test: row => !test(row), fields };
    }
    case 'exists':
      return { ...noFilter, test: row => textOf(row, expression.field) !== undefined, fields: new Set([expression.field.name]) };
    case 'compare':
      return { ...comparison(expression), fields: new Set([expression.field.name]) };
  }
}

/** Numbers cost least and are asked first; metadata has to be parsed. */
function both(parts: readonly Filter[]): Filter {
  const tests = [...parts].sort((a, b) => cost(a) - cost(b)).map(({ test }) => test);
  return {
    test: row => tests.every(test => test(row)),
    mayHold: extremes => parts.every(part => part.mayHold(extremes)),
    fields: union(parts),
    prefix: parts.reduce((longest, { prefix }) => (prefix.length > longest.length ? prefix : longest), ''),
  };
}

function either(parts: readonly Filter[]): Filter {
  const tests = parts.map(({ test }) => test);
  return {
    test: row => tests.some(test => test(row)),
    mayHold: extremes => parts.some(part => part.mayHold(extremes)),
    fields: union(parts),
    prefix: commonPrefix(parts.map(({ prefix }) => prefix)),
  };
}

const costs: Readonly<Record<FieldName | 'metadata', number>> = {
  size: 1,
  modified: 1,
  commit_id: 2,
  committer: 2,
  content_type: 4,
  etag: 4,
  path: 5,
  metadata: 50,
};

function cost({ fields }: Filter): number {
  return [...fields].reduce((sum, field) => sum + costs[field], 0);
}

function union(parts: readonly Filter[]): Filter['fields'] {
  return new Set(parts.flatMap(({ fields }) => [...fields]));
}

/** Of whole characters: half of one has no bytes. */
function commonPrefix(texts: readonly string[]): string {
  const [first = '', ...others] = texts;
  let length = first.length;
  for (const other of others) {
    length = Math.min(length, other.length);
    while (length > 0 && !other.startsWith(first.slice(0, length))) length--;
  }
  const isHalf = /[\uD800-\uDBFF]/.test(first.charAt(length - 1));
  return first.slice(0, isHalf ? length - 1 : length);
}

type Comparison = Extract<Expression, { kind: 'compare' }>;

function comparison({ field, operator, value, at }: Comparison): Omit<Filter, 'fields'> {
  if (isNumeric(field)) return numericComparison(field.name, { operator, value, at });
  const { text } = value;
  if (operator === 'like') {
    const matches = wildcard(text, at);
    const prefix = field.name === 'path' ? literalPrefix(text) : '';
    return { ...noFilter, test: row => holds(textOf(row, field), matches), prefix };
  }
  const isSame = field.name === 'metadata' ? sameAs(value) : (found: string | undefined) => found === text;
  if (operator === '=') return { ...noFilter, test: row => isSame(textOf(row, field)), prefix: field.name === 'path' ? text : '' };
  if (operator === '!=') return { ...noFilter, test: row => !isSame(textOf(row, field)) };
  // Values in metadata are texts; next to a number they are taken for one.
  if ('number' in value) {
    const { number } = value;
    return {
      ...noFilter,
      test: row => holds(textOf(row, field), found => found !== '' && compared(Number(found), operator, number)),
    };
  }
  return { ...noFilter, test: row => holds(textOf(row, field), found => compared(found, operator, text)) };
}

/** The same text, or the same number: one that is too large to be exact is compared as a text. */
function sameAs(value: Comparison['value']): (found: string | undefined) => boolean {
  const number = 'number' in value && Math.abs(value.number) <= Number.MAX_SAFE_INTEGER ? value.number : undefined;
  return found => found === value.text || (number !== undefined && found !== undefined && found !== '' && Number(found) === number);
}

function numericComparison(name: 'size' | 'modified', { operator, value, at }: Pick<Comparison, 'operator' | 'value' | 'at'>) {
  if (operator === 'like') throw problemAt(at, `${name} is a number: compare it with = != < <= > >=`);
  const number = name === 'modified' ? timeOf(value, at) : 'number' in value ? value.number : Number.NaN;
  if (Number.isNaN(number)) throw problemAt(at, `size is compared with a number or a size such as 10MB, not ${JSON.stringify(value.text)}`);
  return {
    test: (row: Row) => compared(row.number(name), operator, number),
    mayHold: (extremes: Extremes) => mayHold(extremes[name], operator, number),
    prefix: '',
  };
}

/** Milliseconds since 1970: of a date, or of seconds as listings show them. */
function timeOf(value: Value, at: number): number {
  if ('number' in value) return value.number * 1000;
  const time = Date.parse(value.text);
  if (Number.isNaN(time)) throw problemAt(at, `${JSON.stringify(value.text)} is not a date such as "2026-05-01" or "2026-05-01T12:00:00Z"`);
  return time;
}

function textOf(row: Row, field: Field): string | undefined {
  if (field.name === 'metadata') return row.metadata(field.key);
  return field.name === 'size' || field.name === 'modified' ? String(row.number(field.name)) : row.text(field.name);
}

function holds(text: string | undefined, test: (text: string) => boolean): boolean {
  return text !== undefined && test(text);
}

function compared<T extends number | string>(left: T, operator: Exclude<Operator, 'like'>, right: T): boolean {
  switch (operator) {
    case '=':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}

function mayHold({ min, max }: { readonly min: number; readonly max: number }, operator: Operator, number: number): boolean {
  if (operator === '=') return min <= number && number <= max;
  if (operator === '<' || operator === '<=') return compared(min, operator, number);
  if (operator === '>' || operator === '>=') return compared(max, operator, number);
  return true;
}

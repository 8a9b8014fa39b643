/** Where a statement reads and writes files: the places that are addresses, not data. */
import type { Statement } from './statements.js';
import type { Token } from './tokens.js';

export interface FileUse {
  readonly address: string;
  /**
   * `table`: it stands where a table stands; `query`: where a query may stand instead; `read`: an argument of a reader, or what
   * COPY reads; `write`: what COPY writes.
   */
  readonly role: 'table' | 'query' | 'read' | 'write';
  readonly start: number;
  readonly end: number;
}

/** A pair of parentheses, brackets or braces, or the statement itself. */
interface Level {
  /** Addresses in it are files. */
  readonly isReader: boolean;
  /** Of a function, whose FROM is not that of a query: `trim(both ' ' from name)`. */
  readonly isCall: boolean;
  /** In a list of tables, in which a comma precedes the next one, also after the condition of a join. */
  inFrom: boolean;
  isQuery: boolean;
}

const readers = /^(?:read_\w+|parquet_\w+|sniff_csv|glob)$/;
/** `read_csv`, `iceberg_scan`, `iceberg_scan_metadata` … */
const opensFiles = (word: string): boolean => readers.test(word) || word.endsWith('_scan') || word.includes('_scan_');
const beforeTables = new Set(['from', 'join', 'describe', 'desc', 'summarize', 'table', 'pivot', 'unpivot']);
/** Followed by a name of a table or by a query, and not by a reader. */
const ofQueries = new Set(['describe', 'desc', 'summarize']);
/** Of these, what begins a list of tables; others are followed by one. */
const ofLists = new Set(['from', 'join']);
const afterTables = new Set(['where', 'group', 'order', 'having', 'limit', 'select', 'union', 'window', 'qualify', 'set', 'returning']);
/** First in parentheses they begin a query, whatever is before them: `any (from …)`. */
const beginsQuery = new Set(['select', 'with', ...beforeTables]);
/** Followed by a parenthesis they call nothing. */
const noFunctions = new Set(['from', 'join', 'in', 'as', 'and', 'or', 'not', 'on', 'where', 'select', 'values', 'copy', 'exists', 'using']);
/** Statements that open files directly; in the engine's memory they may. */
const opening = new Set(['attach', 'export', 'import', 'install', 'load']);
const [opens, closes] = [new Set(['(', '[', '{']), new Set([')', ']', '}'])];
const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i;

/** In the order of the statement. @throws Error for statements that would open an address directly. */
export function fileUsesOf({ tokens }: Statement): readonly FileUse[] {
  const uses: FileUse[] = [];
  const [first] = tokens;
  const foreign = tokens.find(({ kind, value }) => (kind === 'text' || kind === 'name') && withScheme.test(value));
  if (first && foreign && first.kind === 'word' && opening.has(first.value))
    throw new Error(
      `${first.value.toUpperCase()} cannot open ${foreign.value}: queries read srv:// addresses where a table stands, and write them with COPY`,
    );
  const isCopy = tokens[0]?.value === 'copy';
  const levels: Level[] = [{ isReader: false, isCall: false, inFrom: false, isQuery: true }];
  let expected: FileUse['role'] | undefined;
  for (const [at, token] of tokens.entries()) {
    const level = levels.at(-1) ?? { isReader: false, isCall: false, inFrom: false, isQuery: true };
    const before = tokens[at - 1];
    if (token.kind === 'text' || token.kind === 'name') {
      const role = expected ?? (level.isReader ? 'read' : undefined);
      if (role !== undefined && withScheme.test(token.value)) uses.push(useOf(token, before, role));
      expected = undefined;
    } else if (token.kind === 'sign') {
      const isJoined = token.value === '(' && expected === 'table';
      expected = isJoined || (token.value === ',' && level.inFrom) ? 'table' : undefined;
      if (opens.has(token.value)) levels.push(entered(level, token, before));
      else if (closes.has(token.value) && levels.length > 1) levels.pop();
    } else {
      // All functions but this one have something before their FROM.
      if (before?.value === '(' && tokens[at - 2]?.value !== 'trim' && beginsQuery.has(token.value)) level.isQuery = true;
      expected = expectedAfter(token, before, level, isCopy && levels.length === 1);
    }
  }
  return uses;
}

function useOf({ value: address, start, end }: Token, before: Token | undefined, role: FileUse['role']): FileUse {
  // The word takes only names: a query stands for both.
  if (before?.kind === 'word' && before.value === 'table') return { address, role: 'query', start: before.start, end };
  return { address, role, start, end };
}

function entered(outer: Level, { value }: Token, before: Token | undefined): Level {
  if (value !== '(') return { ...outer, inFrom: false };
  const isCall = before?.kind === 'word' && !noFunctions.has(before.value);
  return { isReader: isCall && opensFiles(before.value), isCall, inFrom: false, isQuery: !isCall };
}

function expectedAfter({ value }: Token, before: Token | undefined, level: Level, isOfCopy: boolean): FileUse['role'] | undefined {
  if (isOfCopy && value === 'to') return 'write';
  if (isOfCopy && value === 'from') return 'read';
  if (value === 'select') level.isQuery = true;
  if (afterTables.has(value)) level.inFrom = false;
  const isComparison = value === 'from' && before?.value === 'distinct';
  if (!beforeTables.has(value) || isComparison || !level.isQuery) return undefined;
  if (ofLists.has(value)) level.inFrom = true;
  return ofQueries.has(value) ? 'query' : 'table';
}

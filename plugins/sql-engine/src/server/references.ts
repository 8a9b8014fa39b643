/** What a query names: objects by their addresses, and tables of the system schema. */
import { SrvError, messageOf } from '@srv/kernel';
import { addressOf, addressText } from '@srv/lib-records/tables/sql/address';
import { fileUsesOf } from '@srv/lib-records/tables/sql/file-uses';
import { statementsOf } from '@srv/lib-records/tables/sql/statements';
import type { Address } from '@srv/lib-records/tables/sql/address';
import type { FileUse } from '@srv/lib-records/tables/sql/file-uses';
import type { Statement } from '@srv/lib-records/tables/sql/statements';

interface NamedFile extends FileUse {
  /** The same for each use of the address. */
  readonly text: string;
  readonly at: Address;
}

/** `repository.ref.namespace.table`: a table of a catalog, or a part of a column. */
export interface NamedChain {
  readonly repository: string;
  readonly ref: string;
  /** Namespaces and table. */
  readonly name: readonly string[];
  /** Whether it stands where only a table can. */
  readonly isTable: boolean;
  readonly start: number;
  readonly end: number;
}

/** `repository.ref.system.object_metadata`. */
export interface NamedTable {
  readonly repository: string;
  readonly ref: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

export interface QueryReferences {
  /** Without what stands around the statement. */
  readonly sql: string;
  readonly files: readonly NamedFile[];
  readonly tables: readonly NamedTable[];
  readonly chains: readonly NamedChain[];
}

/** @throws SrvError `invalid` for several statements, for COPY, and for addresses that are not in this server. */
export function referencesOf(sql: string): QueryReferences {
  const [statement, more] = statementsOf(sql);
  if (!statement) throw new SrvError('invalid', 'the query is empty');
  if (more) throw new SrvError('invalid', 'one query can be run at a time; what follows the semicolon is another statement');
  try {
    const files = fileUsesOf(statement).map(use => {
      if (use.role === 'write') throw new Error('COPY … TO cannot be run: queries only read; upload the result instead');
      const at = addressOf(use.address);
      return { ...use, at, text: addressText(at) };
    });
    const named = dottedNames(statement);
    return { sql: statement.text, files, tables: named.flatMap(systemTable), chains: named.flatMap(catalogTable) };
  } catch (error) {
    throw new SrvError('invalid', messageOf(error), { cause: error });
  }
}

/** Names of several parts. */
interface DottedName {
  readonly parts: readonly { readonly name: string; readonly end: number }[];
  /** The word or sign before it. */
  readonly before: string | undefined;
  readonly start: number;
}

function dottedNames({ text, tokens }: Statement): readonly DottedName[] {
  const named: DottedName[] = [];
  const name = (at: number): string | undefined => {
    const token = tokens[at];
    if (token?.kind === 'name') return token.value;
    // The value of a word is in lower case, a ref is not.
    return token?.kind === 'word' ? text.slice(token.start, token.end) : undefined;
  };
  const isDot = (at: number): boolean => tokens[at]?.kind === 'sign' && tokens[at]?.value === '.';
  for (let at = 0; at < tokens.length; at++) {
    const [first, start] = [name(at), tokens[at]?.start ?? 0];
    if (first === undefined) continue;
    const before = tokens[at - 1];
    const parts = [{ name: first, end: tokens[at]?.end ?? start }];
    for (let next = name(at + 2); isDot(at + 1) && next !== undefined; next = name(at + 2)) {
      at += 2;
      parts.push({ name: next, end: tokens[at]?.end ?? start });
    }
    if (parts.length > 1 && before?.value !== '.')
      named.push({ parts, before: before?.kind === 'text' ? undefined : before?.value, start });
  }
  return named;
}

/** Names whose third part is `system`; what follows the fourth is a column. */
function systemTable({ parts, start }: DottedName): NamedTable[] {
  const [repository, ref, schema, table] = parts;
  if (!repository || !ref || schema?.name.toLowerCase() !== 'system' || !table) return [];
  return [{ repository: repository.name, ref: ref.name, name: table.name.toLowerCase(), start, end: table.end }];
}

/** Words after which there is a table. */
const beforeTables = new Set(['from', 'join', 'describe', 'summarize', 'pivot', 'unpivot', 'table']);

function catalogTable({ parts, before, start }: DottedName): NamedChain[] {
  const [repository = '', ref = '', ...name] = parts.map(part => part.name);
  const end = parts.at(-1)?.end ?? start;
  if (name.length < 2 || name[0]?.toLowerCase() === 'system') return [];
  const isTable = before !== undefined && beforeTables.has(before);
  return isTable || before === ',' || before === '(' ? [{ repository, ref, name, isTable, start, end }] : [];
}

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
    return { sql: statement.text, files, tables: tablesOf(statement) };
  } catch (error) {
    throw new SrvError('invalid', messageOf(error), { cause: error });
  }
}

/** Names of four parts whose third is `system`. */
function tablesOf({ text, tokens }: Statement): readonly NamedTable[] {
  const named: NamedTable[] = [];
  const name = (at: number): string | undefined => {
    const token = tokens[at];
    if (token?.kind === 'name') return token.value;
    // The value of a word is in lower case, a ref is not.
    return token?.kind === 'word' ? text.slice(token.start, token.end) : undefined;
  };
  const isDot = (at: number): boolean => tokens[at]?.kind === 'sign' && tokens[at]?.value === '.';
  for (const [at, { start }] of tokens.entries()) {
    const [repository, ref, schema, table] = [at, at + 2, at + 4, at + 6].map(name);
    if (repository === undefined || ref === undefined || schema?.toLowerCase() !== 'system' || table === undefined) continue;
    if ([at + 1, at + 3, at + 5].every(isDot) && !isDot(at - 1))
      named.push({ repository, ref, name: table.toLowerCase(), start, end: tokens[at + 6]?.end ?? start });
  }
  return named;
}

/** Tables about a ref of a repository that plugins offer to SQL, as `repository.ref.system.name`. */
import type { Permission } from '@srv/kernel';

export interface SystemTable {
  /** Types of SQL by column, in order. In rows a `TIMESTAMP` is milliseconds since 1970, a `MAP` an object. */
  readonly columns: Readonly<Record<string, 'VARCHAR' | 'BIGINT' | 'TIMESTAMP' | 'MAP(VARCHAR, VARCHAR)'>>;
  /** Whether lists of tables of a repository show it. */
  isListed(repository: string): Promise<boolean>;
  /** What reading the table takes: it shows the whole repository. */
  permission(repository: string): Permission;
  /** @param options.uncommitted with what is not committed, where the ref is a branch and the table is about objects. */
  open(repository: string, ref: string, options: { readonly uncommitted: boolean }): Promise<OpenSystemTable>;
}

/** The table of a ref at one moment. */
export interface OpenSystemTable {
  /** Names the rows: tables of one name and id have the same ones, for ever. Absent: they may be others the next time. */
  readonly id?: string;
  /** Columns without a value are absent. */
  rows(signal?: AbortSignal): AsyncIterable<Readonly<Record<string, unknown>>>;
}

declare module '@srv/kernel' {
  interface Services {
    /** By name. */
    systemTables: Readonly<Record<string, SystemTable>>;
  }
}

/** What the process, and the thread in it, gets and returns. */
import type { TableFormat } from '@srv/lib-records/tables/table-format';

export interface WorkRequest {
  /** Files of this machine. */
  readonly left: string;
  readonly right: string;
  /** Where the lines are written. */
  readonly result: string;
  readonly format: TableFormat;
  readonly key: readonly string[] | undefined;
  readonly limit: number;
  /** Bytes. */
  readonly memory: number;
}

/** `message` is for the caller: the tables cannot be read, or lack a column. Not `done`: it needs more memory. */
export type WorkAnswer = { readonly done: boolean } | { readonly message: string };

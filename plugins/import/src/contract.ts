/** Import: existing objects of the block store become objects of a branch, without being copied. */
import type { ChangeOptions, Commit } from '@srv/engine/contract';

export interface ImportPath {
  /** A whole prefix, or one object. */
  readonly type: 'common_prefix' | 'object';
  /** Full URI of the source. */
  readonly path: string;
  /** Prefix of the new paths, or the new path itself. */
  readonly destination: string;
}

export interface ImportRequest extends Omit<ChangeOptions, 'signal'> {
  readonly paths: readonly ImportPath[];
  readonly committer: string;
  /** Absent or empty: `Import objects`. */
  readonly message?: string;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export interface ImportStatus {
  readonly completed: boolean;
  readonly updatedAt: Date;
  /** Objects found so far. */
  readonly ingestedObjects: number;
  readonly metarangeId?: string | undefined;
  readonly commit?: Commit | undefined;
  /** Set when it failed or was cancelled. */
  readonly error?: string | undefined;
}

export interface Imports {
  /**
   * Checks what can be checked, stores the import and works on it; returns its id.
   * @throws SrvError `forbidden` when the store cannot import, `invalid` for a bad source, `not_found` for an unknown branch,
   * `dirty_branch`, `read_only`.
   */
  start(repository: string, branch: string, request: ImportRequest): Promise<string>;
  /** @throws SrvError `not_found`. */
  status(repository: string, id: string): Promise<ImportStatus>;
  /** @throws SrvError `not_found` also for one that runs on another branch; `conflict` when it is completed. */
  cancel(repository: string, branch: string, id: string): Promise<void>;
}

declare module '@srv/kernel' {
  interface Services {
    imports: Imports;
  }
}

/**
 * The one error class of the product. The set of codes is closed: faces translate codes, never messages, into HTTP
 * statuses, S3 error codes and exit codes.
 */

/** Every code with its meaning; the keys are the closed set. */
export const errorCodes = {
  invalid: 'a name, value or combination of options is not acceptable',
  unauthenticated: 'the caller is unknown or the credentials are wrong',
  denied: 'the caller is known but its policies do not allow the action',
  forbidden: 'the operation is refused for every caller',
  read_only: 'the repository accepts no changes',
  moving: 'the repository moves to another storage namespace and accepts no changes for a moment',
  protected: 'a branch protection rule blocks the action',
  not_found: 'the named thing does not exist',
  not_unique: 'a thing of that name exists already',
  conflict: 'both sides of a merge changed the same key',
  no_changes: 'there is nothing to commit or merge',
  dirty_branch: 'the branch has uncommitted changes',
  gone: 'the repository is being deleted',
  no_data: 'metadata exists but the stored bytes are missing',
  precondition_failed: 'a condition of the request does not hold',
  hook_aborted: 'a pre- hook refused the operation',
  too_many_tries: 'optimistic concurrency lost, or a login failed, too often',
  slow_down: 'the backend is throttling',
  storage_full: 'the disk or quota of a store is used up',
  unavailable: 'the backend cannot be reached',
  unsupported: 'this driver or build does not offer the operation',
  corrupt: 'stored bytes do not decode',
  cancelled: 'the caller went away',
  timeout: 'the operation took longer than allowed',
  closed: 'the store or server has been closed',
  config: 'the configuration is not acceptable',
  plugin: 'a plugin is missing, broken or in the wrong order',
  internal: 'a fault of this program',
} as const;

export type ErrorCode = keyof typeof errorCodes;

export interface ErrorOptions {
  readonly cause?: unknown;
  /** Machine-readable facts, safe to show to the caller. Never a secret. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** An error with a code of {@link errorCodes}; the message is written for the person reading it. */
export class SrvError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SrvError';
    this.code = code;
    this.details = options.details ?? {};
  }
}

/**
 * Whether `error` is a {@link SrvError}, optionally of one of `codes`. Compares by shape, so that errors cross package
 * copies and worker threads.
 */
export function isSrvError(error: unknown, ...codes: ErrorCode[]): error is SrvError {
  if (!(error instanceof Error) || error.name !== 'SrvError') return false;
  const { code } = error as SrvError;
  return code in errorCodes && (codes.length === 0 || codes.includes(code));
}

/** The text of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Throws a `cancelled` error when `signal` is aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new SrvError('cancelled', 'the request was cancelled', { cause: signal.reason });
}

const full: readonly unknown[] = ['storage_full', 'ENOSPC', 'EDQUOT', 'EFBIG'];
const filesUsedUp: readonly unknown[] = ['EMFILE', 'ENFILE'];

/** Whether a full disk, an exhausted quota or a limit of sizes caused an error, however it was wrapped. */
export function isStorageFull(error: unknown): boolean {
  return isCausedBy(error, full, /No space left on device|Disk quota exceeded/i);
}

/** Whether the limit of open files, of the process or the machine, caused an error, however it was wrapped. */
export function isOutOfFiles(error: unknown): boolean {
  return isCausedBy(error, filesUsedUp, /Too many open files/i);
}

/** @param levelText of LevelDB, which has one code for all errors of the file system. */
function isCausedBy(error: unknown, codes: readonly unknown[], levelText: RegExp): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    const { code } = at as { code?: unknown };
    if (codes.includes(code) || (code === 'LEVEL_IO_ERROR' && levelText.test(at.message))) return true;
  }
  return false;
}

/** What to do about a folder that cannot be written. */
export function writableRemedy(error: unknown): string {
  return isStorageFull(error) ? 'its disk or quota is full: free space' : 'make it writable for this user or choose another folder';
}

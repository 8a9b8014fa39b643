/** Ways a command can fail, and what each prints. */
import { messageOf } from '@srv/kernel';
import { forTerminal } from './output/text.js';
import type { Terminal } from './output/terminal.js';

/** Several copies of this package may run together, those of plugins among them: failures are known by marks. */
const usageMark = Symbol.for('srv.usage-error');
const exitMark = Symbol.for('srv.exit-error');

/** Wrong arguments or options: reported to the user, nothing was attempted. */
export class UsageError extends Error {
  readonly [usageMark] = true;
}

export function isUsageError(error: unknown): error is UsageError {
  return error instanceof Error && usageMark in error;
}

/** The user has stopped the work, whatever failed because of that. */
export function interrupted(cause?: unknown): Error {
  return Object.assign(new Error('interrupted', cause === undefined ? {} : { cause }), { code: 'cancelled' });
}

/** Ends the program with its code after the output that was made; nothing more is printed. */
export class ExitError extends Error {
  readonly [exitMark] = true;
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit code ${exitCode}`);
    this.exitCode = exitCode;
  }
}

export function isExitError(error: unknown): error is ExitError {
  return error instanceof Error && exitMark in error;
}

/** What the client throws for an HTTP error answer; compared by shape. */
interface ResponseError extends Error {
  readonly status: number;
  readonly statusText?: string;
}

const deathLine = 'Error executing command.';
const statusTexts: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition Failed',
  413: 'Request Entity Too Large',
  420: 'Too Many Tries',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

export function isAnswerError(error: unknown, ...statuses: number[]): error is ResponseError {
  const status = error instanceof Error ? (error as Partial<ResponseError>).status : undefined;
  return typeof status === 'number' && (statuses.length === 0 || statuses.includes(status));
}

/** Reasons for which a call of the system for a file fails, as other programs word them. */
const fileProblems: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EEXIST: 'file exists',
  EISDIR: 'is a directory',
  EMFILE: 'too many open files',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'not a directory',
  ENOTEMPTY: 'directory not empty',
  EPERM: 'operation not permitted',
  EROFS: 'read-only file system',
};

/** What went wrong: `open x.txt: no such file or directory` for a file, else the error's own message. */
export function reasonOf(error: unknown): string {
  const { code = '', syscall, path } = (error instanceof Error ? error : {}) as NodeJS.ErrnoException;
  const problem = fileProblems[code];
  return problem !== undefined && syscall !== undefined && path !== undefined ? `${syscall} ${path}: ${problem}` : messageOf(error);
}

/** Lines for standard error, without the last line end. */
export function failureText(error: unknown, { colours, interactive }: Pick<Terminal, 'colours' | 'interactive'>): string {
  const shown = interactive ? forTerminal : String;
  if (isUsageError(error)) return `Error: ${shown(error.message)}`;
  if (isAnswerError(error)) {
    const reason = error.statusText || statusTexts[error.status] || '';
    return `${colours.redBright(shown(error.message))}\n${`${error.status} ${shown(reason)}`.trimEnd()}`;
  }
  return `${colours.redBright(shown(reasonOf(error)))}\n${deathLine}`;
}

/** Exit codes of `cli`, by what went wrong. */
export const exitCodes = { failure: 1, usage: 2, notFound: 3, refused: 4, conflict: 5, unreachable: 6 } as const;

/** What `--help` says of them. */
export const exitCodeHelp =
  'Exit codes: 0 success, 1 failure, 2 wrong arguments, 3 not found, 4 refused (401, 403), 5 conflict (409, 412), 6 server unreachable or too slow.';

const byStatus: Readonly<Record<number, number>> = {
  401: exitCodes.refused,
  403: exitCodes.refused,
  404: exitCodes.notFound,
  408: exitCodes.unreachable,
  409: exitCodes.conflict,
  410: exitCodes.notFound,
  412: exitCodes.conflict,
  502: exitCodes.unreachable,
  503: exitCodes.unreachable,
  504: exitCodes.unreachable,
};
/** Codes of SrvError, and of Node.js for connections and names of files. */
const byCode: Readonly<Record<string, number>> = {
  denied: exitCodes.refused,
  forbidden: exitCodes.refused,
  unauthenticated: exitCodes.refused,
  cancelled: exitCodes.failure,
  not_found: exitCodes.notFound,
  conflict: exitCodes.conflict,
  not_unique: exitCodes.conflict,
  precondition_failed: exitCodes.conflict,
  unavailable: exitCodes.unreachable,
  timeout: exitCodes.unreachable,
  ECONNREFUSED: exitCodes.unreachable,
  ECONNRESET: exitCodes.unreachable,
  ENOTFOUND: exitCodes.unreachable,
  ETIMEDOUT: exitCodes.unreachable,
  ENOENT: exitCodes.notFound,
};

/** {@link exitCodes}, except where a command says otherwise. */
export function exitCodeOf(error: unknown): number {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isExitError(cause)) return cause.exitCode;
    if (isUsageError(cause)) return exitCodes.usage;
    const { code, status, name } = cause as Error & { readonly code?: unknown; readonly status?: unknown };
    const found = typeof status === 'number' ? byStatus[status] : typeof code === 'string' ? byCode[code] : undefined;
    if (found !== undefined) return found;
    if (name === 'TimeoutError') return exitCodes.unreachable;
  }
  return exitCodes.failure;
}

/** A failure as one line of JSON, for programs. */
export function failureJson(error: unknown): string {
  const { status, code } = (error instanceof Error ? error : {}) as { readonly status?: unknown; readonly code?: unknown };
  return JSON.stringify({
    error: {
      message: reasonOf(error),
      status: typeof status === 'number' ? status : undefined,
      code: typeof code === 'string' ? code : undefined,
      exit_code: exitCodeOf(error),
    },
  });
}

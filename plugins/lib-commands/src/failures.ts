/** Ways a command can fail, and what each prints. */
import { messageOf } from '@srv/kernel';
import type { Terminal } from './output/terminal.js';

/** Several copies of this package may run together, those of plugins among them: failures are known by marks. */
const usageMark = Symbol.for('srv.usage-error');
const exitMark = Symbol.for('srv.exit-error');

/** Wrong arguments or options: reported to the user, nothing was attempted. */
export class UsageError extends Error {
  readonly [usageMark] = true;
}

function isUsageError(error: unknown): error is UsageError {
  return error instanceof Error && usageMark in error;
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

/** Lines for standard error, without the last line end. */
export function failureText(error: unknown, { colours }: Pick<Terminal, 'colours'>): string {
  if (isUsageError(error)) return `Error: ${error.message}`;
  if (isAnswerError(error)) {
    const reason = error.statusText || statusTexts[error.status] || '';
    return `${colours.redBright(error.message)}\n${`${error.status} ${reason}`.trimEnd()}`;
  }
  return `${colours.redBright(messageOf(error))}\n${deathLine}`;
}

/** Every failure ends with 1, except where a command says otherwise. */
export function exitCodeOf(error: unknown): number {
  return isExitError(error) ? error.exitCode : 1;
}

/** What PostgreSQL and the network report, as codes of the product. */
import { SrvError, messageOf } from '@srv/kernel';
import type { ErrorCode } from '@srv/kernel';

/** By the beginning of the SQLSTATE or of the system's error code, the most special first. */
const meanings: readonly (readonly [string, ErrorCode, string])[] = [
  ['53100', 'storage_full', 'free space on the disk of the server'],
  ['53300', 'slow_down', 'raise max_connections of the server or lower database.postgres.max_open_connections'],
  ['53', 'slow_down', 'the server lacks resources; try again later'],
  ['40001', 'slow_down', 'too many writers change the same key; try again later'],
  ['40P01', 'slow_down', 'too many writers change the same key; try again later'],
  ['55P03', 'slow_down', 'another transaction holds a lock; try again later'],
  ['57014', 'timeout', 'the server ended the statement; look at its statement_timeout and load'],
  ['57P', 'unavailable', 'the server is stopping or starting; try again later'],
  ['08', 'unavailable', 'check that the server runs and can be reached'],
  ['25006', 'unavailable', 'the server takes no writes now; name the primary in database.postgres.connection_string'],
  ['28', 'forbidden', 'check user and password in database.postgres.connection_string'],
  ['3D000', 'forbidden', 'create the database or name another in database.postgres.connection_string'],
  ['42501', 'forbidden', 'grant the user what the README of kv-postgres names'],
  ['42704', 'config', 'remove it from database.postgres.connection_string'],
  ['54', 'invalid', 'the key or value is too large'],
  ['XX001', 'corrupt', 'restore the database from a backup'],
  ['XX002', 'corrupt', 'rebuild the index named by the server'],
  ['ECONN', 'unavailable', 'check that the server runs and can be reached'],
  ['EPIPE', 'unavailable', 'check that the server runs and can be reached'],
  ['ETIMEDOUT', 'unavailable', 'check that the server runs and can be reached'],
  ['EHOSTUNREACH', 'unavailable', 'check host and network'],
  ['ENETUNREACH', 'unavailable', 'check host and network'],
  ['ENOTFOUND', 'unavailable', 'check the host name in database.postgres.connection_string'],
  ['EAI_AGAIN', 'unavailable', 'check the host name and the name server'],
  ['file', 'config', 'check the files that database.postgres.connection_string names'],
  ['ENOENT', 'unavailable', 'check the folder of the socket in database.postgres.connection_string'],
  ['EACCES', 'unavailable', 'check the rights on the socket in database.postgres.connection_string'],
];

/** What `pg` reports of a statement whose answer did not come in time. */
const silence = /^Query read timeout/;

/** What `pg` reports without a code. */
const messages: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [silence, 'unavailable', 'the server accepts statements and does not answer; check it, its disk and the network'],
  [/exceeded when trying to connect/, 'slow_down', 'all connections are busy; raise database.postgres.max_open_connections'],
  [/^Connection terminated|not queryable|^timeout expired/, 'unavailable', 'check that the server runs and can be reached'],
  [/SSL connection/, 'config', 'use sslmode=disable or switch TLS on in the server'],
  [/^SASL|password/, 'forbidden', 'check user and password in database.postgres.connection_string'],
];

const tlsCodes = /^(SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|CERT_|ERR_TLS|ERR_SSL|HOSTNAME_MISMATCH|EPROTO)/;
const tlsAdvice = 'give sslrootcert=<file> with the authority of its certificate, or sslmode=no-verify to trust any';

/** Whether a statement changes anything. */
export type Effect = 'read' | 'write';

/** The connection broke while a statement was under way. */
export class LostConnection extends Error {
  readonly effect: Effect;
  /** Whether the connection was new; one from the pool may have broken long before. */
  readonly fresh: boolean;

  constructor(cause: unknown, effect: Effect, fresh: boolean) {
    super(reasonOf(cause), { cause });
    this.effect = effect;
    this.fresh = fresh;
  }
}

/** @param place host, port and database. */
export function explain(error: unknown, place: string): SrvError {
  if (error instanceof SrvError) return error;
  if (error instanceof LostConnection) {
    const { code, message } = explain(error.cause, place);
    return new SrvError(code, error.effect === 'write' ? `${message}; the write may or may not have happened` : message, {
      cause: error.cause,
    });
  }
  const code = isFile(error) ? 'file' : codeOf(error);
  const known = meanings.find(([prefix]) => code.startsWith(prefix));
  const [, meaning, advice] =
    known ??
    (tlsCodes.test(code) ? (['', 'config', tlsAdvice] as const) : undefined) ??
    messages.find(([pattern]) => pattern.test(messageOf(error))) ??
    (['', 'internal', 'look at the log of the server'] as const);
  return new SrvError(meaning, `PostgreSQL at ${place}: ${reasonOf(error)}; ${advice}`, { cause: error });
}

/** Whether the session is over, so that its connection must not be used again. */
export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  if (/^(08|57P|25006)/.test(code) || (error instanceof Error && 'severity' in error && error.severity === 'FATAL')) return true;
  // What has no SQLSTATE was not said by the server but happened to the connection. No SQLSTATE begins with E.
  return !/^[0-9FHPX][0-9A-Z]{4}$/.test(code);
}

/** Whether the answer did not come in time, so that a further attempt would wait as long. */
export function isSilence(error: unknown): boolean {
  return silence.test(messageOf(error));
}

/** Whether the server undid the statement because of others at the same time, so that it may be sent again. */
export function isConflict(error: unknown): boolean {
  return /^(40001|40P01)$/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Certificates and keys are read for every connection. */
function isFile(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'open';
}

/** A failure on every address of a host has no message of its own. */
function reasonOf(error: unknown): string {
  return messageOf(error) || (error instanceof AggregateError ? error.errors.map(messageOf).join(', ') : codeOf(error));
}

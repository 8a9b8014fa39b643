/**
 * Reads `database.postgres.connection_string`, in either form PostgreSQL knows: a URL, or `host=… dbname=…`. What the
 * client library has no setting for is a run-time parameter of the session, as with other PostgreSQL clients.
 */
import { SrvError } from '@srv/kernel';

export interface ConnectionSettings {
  /** For `pg`. Holds the password. */
  readonly connectionString: string;
  /** Host, port and database, for messages. */
  readonly place: string;
  readonly table: string;
  /** Milliseconds to wait for a connection. */
  readonly connectTimeout: number;
  /** Milliseconds to wait for the answer to a statement; 0: no limit. */
  readonly queryTimeout: number;
}

/** Run-time parameter that names the table. */
const tableParameter = 'lakefskv_table';
const defaultTable = 'kv';
const defaultConnectTimeout = 10_000;
const defaultQueryTimeout = 60_000;
/** The longest time a timer can wait, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** Parameters that `pg` reads from the connection string. */
const pgParameters = new Set(
  (
    'host port user password ssl sslmode sslcert sslkey sslrootcert sslnegotiation uselibpqcompat application_name ' +
    'fallback_application_name options statement_timeout lock_timeout idle_in_transaction_session_timeout client_encoding'
  ).split(' '),
);
/** Parameters of other clients that mean nothing to the server: existing connection strings may carry them. */
const ignoredParameters =
  /^(pool_\w+|keepalives\w*|target_session_attrs|default_query_exec_mode|\w+_cache_capacity|passfile|service\w*|gss\w+|krb\w+|channel_binding)$/;
const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** @throws SrvError `config`; the message never holds the connection string. */
export function readConnectionString(text: string): ConnectionSettings {
  const url = /^[a-z]+:\/\//.test(text) ? parseUrl(text) : fromKeywords(text);
  const parameters = url.searchParams;
  const table = take(parameters, tableParameter) ?? defaultTable;
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,59}$/.test(table)) {
    throw refused(`${tableParameter}=${table} is not a table name; use up to 60 letters, digits and underscores`);
  }
  const seconds = take(parameters, 'connect_timeout');
  if (seconds !== undefined && !/^\d+$/.test(seconds)) throw refused(`connect_timeout=${seconds} is not a number of seconds`);
  const queryTimeout = take(parameters, 'query_timeout') ?? String(defaultQueryTimeout);
  if (!/^\d+$/.test(queryTimeout) || Number(queryTimeout) > longestTimer)
    throw refused(`query_timeout=${queryTimeout} is not a number of milliseconds up to ${longestTimer}`);
  checkTls(parameters);
  addRuntimeParameters(parameters);
  if (!parameters.has('application_name')) parameters.set('fallback_application_name', 'srv');
  const host = parameters.get('host') ?? decodeURIComponent(url.hostname);
  if (host.includes(',')) throw refused(`${host} names several hosts; name one`);
  const port = parameters.get('port') ?? url.port;
  if (port !== '' && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535))
    throw refused(`port=${port} is not a port; use a number from 1 to 65535`);
  return {
    connectionString: url.href,
    place: `${host || 'localhost'}:${port || '5432'}${decodeURI(url.pathname)}`,
    table,
    connectTimeout: Number(seconds ?? 0) * 1000 || defaultConnectTimeout,
    queryTimeout: Number(queryTimeout),
  };
}

function parseUrl(text: string): URL {
  if (!/^postgres(ql)?:/.test(text)) throw refused('it must begin with postgres:// or postgresql://');
  let url: URL;
  try {
    url = new URL(text);
    for (const part of [url.username, url.password, url.hostname, url.pathname]) decodeURIComponent(part);
  } catch {
    throw refused('it is not a URL; write postgres://user:password@host:5432/database, with %40 for @ and %25 for % in the password');
  }
  return url;
}

/** `host=db.example.com dbname='my db'`: values in single quotes may hold spaces, a backslash escapes. */
function fromKeywords(text: string): URL {
  const url = new URL('postgres://');
  const pair = /\s*(\w+)\s*=\s*('(?:[^'\\]|\\.)*'|(?:[^\s'\\]|\\.)*)(?:\s+|$)/gy;
  let end = 0;
  for (const [whole, keyword = '', raw = ''] of text.matchAll(pair)) {
    end += whole.length;
    const value = raw.replace(/^'|'$/g, '').replace(/\\(.)/g, '$1');
    if (keyword === 'dbname') url.pathname = `/${encodeURI(value)}`;
    else url.searchParams.set(keyword, value);
  }
  if (end === 0 || end < text.length) {
    throw refused('it is neither a URL such as postgres://user:password@host:5432/database nor pairs such as host=… dbname=…');
  }
  return url;
}

/** `pg` verifies the certificate in all these modes, and in the weaker ones warns that it will not do so for ever. */
function checkTls(parameters: URLSearchParams): void {
  const mode = parameters.get('sslmode');
  if (mode === null) return;
  if (!sslModes.includes(mode)) throw refused(`sslmode=${mode} is unknown; use one of ${sslModes.join(', ')}`);
  const verified = mode === 'allow' || mode === 'prefer' || mode === 'require' || mode === 'verify-ca';
  if (verified && parameters.get('uselibpqcompat') !== 'true') parameters.set('sslmode', 'verify-full');
}

function addRuntimeParameters(parameters: URLSearchParams): void {
  const options = [parameters.get('options') ?? []].flat();
  for (const name of new Set(parameters.keys())) {
    if (pgParameters.has(name)) continue;
    const value = take(parameters, name) ?? '';
    if (!ignoredParameters.test(name)) options.push(`-c ${name}=${value.replace(/[\\\s]/g, '\\$&')}`);
  }
  if (options.length > 0) parameters.set('options', options.join(' '));
}

function take(parameters: URLSearchParams, name: string): string | undefined {
  const value = parameters.get(name) ?? undefined;
  parameters.delete(name);
  return value;
}

function refused(reason: string): SrvError {
  return new SrvError('config', `database.postgres.connection_string: ${reason}`);
}

/** Opens the pool of connections and sets up the table; a failure is reported in one line that names the key. */

import { SrvError } from '@srv/kernel';
import { createKvStore } from '@srv/lib-stores/kv';
import pg from 'pg';
import { readConnectionString } from './connection-string.js';
import { Connections } from './connections.js';
import { explain } from './errors.js';
import { measurePool } from './pool-meter.js';
import { setUpSchema } from './schema.js';
import { PostgresDriver } from './store.js';
import type { KvStore, Logger } from '@srv/kernel';
import type { Metrics } from '@srv/kernel/metrics';
import type { ConnectionSettings } from './connection-string.js';

export interface OpenOptions {
  /** `postgres://…`, or `host=… dbname=…`. */
  readonly connectionString: string;
  /** From 1. */
  readonly maxOpenConnections: number;
  /** Connections that stay open when idle; a value above `maxOpenConnections` counts as that. */
  readonly maxIdleConnections: number;
  /** Milliseconds after which a connection is replaced; 0: never. */
  readonly connectionMaxLifetime: number;
  /** Milliseconds after which an idle connection beyond `maxIdleConnections` is closed. Default: 10,000. */
  readonly idleTimeout?: number;
  /** Reports idle connections that break. */
  readonly log?: Logger;
  /** Default: nothing is measured. */
  readonly metrics?: Metrics | undefined;
}

/** The longest time a timer can wait, in seconds. */
const longestTimer = 2_147_483;

/**
 * Connects, and makes the table when it is missing.
 * @throws SrvError `config` when the connection string, the rights or the database are not right, `unavailable` when the
 * server cannot be reached.
 */
export async function openPostgresKvStore(options: OpenOptions): Promise<KvStore> {
  const settings = readConnectionString(options.connectionString);
  const pool = openPool(settings, options);
  if (options.metrics) measurePool(pool, settings.table, options.metrics);
  try {
    const client = await pool.connect();
    try {
      await setUpSchema(client, settings.table);
    } catch (error) {
      client.release(true);
      throw error;
    }
    client.release();
  } catch (error) {
    await pool.end();
    const { code, message } = explain(error, settings.place);
    const ofConfiguration = code === 'forbidden' || code === 'internal' || code === 'config';
    throw new SrvError(ofConfiguration ? 'config' : code, `database.postgres.connection_string: ${message}`, { cause: error });
  }
  return createKvStore(new PostgresDriver(new Connections(pool, settings.place), settings.table));
}

function openPool(settings: ConnectionSettings, options: OpenOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: settings.connectionString,
    max: options.maxOpenConnections,
    min: Math.min(options.maxIdleConnections, options.maxOpenConnections),
    maxLifetimeSeconds: Math.min(options.connectionMaxLifetime / 1000, longestTimer),
    idleTimeoutMillis: options.idleTimeout ?? 10_000,
    connectionTimeoutMillis: settings.connectTimeout,
    query_timeout: settings.queryTimeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  // A caller that waits for an answer on a connection that breaks sees the error; the pool replaces an idle one.
  pool.on('connect', client => client.on('error', () => undefined));
  pool.on('error', error => options.log?.debug({ place: settings.place, reason: error.message }, 'idle database connection lost'));
  return pool;
}

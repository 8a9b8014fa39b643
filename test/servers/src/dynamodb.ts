/** A DynamoDB emulator (dynalite) on a free port. Its tables are in memory and outlive {@link TestServer.stop}. */
import { HttpFront } from './http-front.js';
import { loadPackage } from './packages.js';
import type { Server } from 'node:http';
import type { TestServer } from './test-server.js';

interface DynaliteOptions {
  /** Milliseconds a table takes to become active, and to go. */
  readonly createTableMs: number;
  readonly deleteTableMs: number;
}

interface DynalitePackage {
  default(options: DynaliteOptions): Server;
}

export interface DynamodbOptions {
  /** Milliseconds a new table takes to become active. Default: 0. */
  readonly createTableMs?: number;
}

export async function startDynamodb({ createTableMs = 0 }: DynamodbOptions = {}): Promise<TestServer> {
  const { default: dynalite } = await loadPackage<DynalitePackage>('dynalite');
  const emulator = dynalite({ createTableMs, deleteTableMs: 0 });
  const front = await HttpFront.open((request, response) => emulator.emit('request', request, response));
  return {
    url: front.url,
    env: {
      SRV_DATABASE_TYPE: 'dynamodb',
      SRV_DATABASE_DYNAMODB_ENDPOINT: front.url,
      SRV_DATABASE_DYNAMODB_AWS_REGION: 'us-east-1',
      SRV_DATABASE_DYNAMODB_AWS_ACCESS_KEY_ID: 'test',
      SRV_DATABASE_DYNAMODB_AWS_SECRET_ACCESS_KEY: 'test',
    },
    stop: () => front.stop(),
    start: () => front.start(),
    close: () => front.stop(),
  };
}

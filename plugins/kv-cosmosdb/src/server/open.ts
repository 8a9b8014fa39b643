/** Makes the client, the database and the container; a failure is reported in one line that names the key. */

import { SrvError, withoutPassword } from '@srv/kernel';
import { createKvStore } from '@srv/lib-stores/kv';
import { makeClient } from './client.js';
import { explain, statusOf } from './errors.js';
import { CosmosdbDriver } from './store.js';
import type { Container, ContainerRequest, CosmosClient } from '@azure/cosmos';
import type { ErrorCode, KvStore } from '@srv/kernel';

export interface OpenOptions {
  /** Absent: the credentials that Azure tools find in the environment. */
  readonly key?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly database?: string | undefined;
  readonly container?: string | undefined;
  /** RU/s of a container that is made; 0 or absent: what the service gives. */
  readonly throughput?: number | undefined;
  /** Whether `throughput` is the most to scale to. */
  readonly autoscale: boolean;
  /** Milliseconds an attempt may wait for its answer. Default: 30,000. */
  readonly requestTimeout?: number;
}

/**
 * Connects, and makes database and container when they are missing.
 * @throws SrvError `config` when settings, credentials or rights are not right, `unavailable` when the account cannot be
 * reached.
 */
export async function openCosmosdbKvStore(options: OpenOptions): Promise<KvStore> {
  const endpoint = required('endpoint', options.endpoint);
  const names = { database: required('database', options.database), container: required('container', options.container) };
  if (!/^https?:\/\/[^/]/.test(endpoint) || !URL.canParse(endpoint)) {
    throw new SrvError(
      'config',
      `database.cosmosdb.endpoint: ${withoutPassword(endpoint)} is not a URL; write https://account.documents.azure.com:443/`,
    );
  }
  const client = await makeClient({ endpoint, key: options.key, requestTimeout: options.requestTimeout ?? 30_000 });
  const place = `container ${names.database}/${names.container} at ${new URL(endpoint).host}`;
  try {
    const container = await setUp(client, names, options);
    // The service judges the consistency asked for only when something is read.
    await container.item('consistency', 'consistency').read();
    return createKvStore(new CosmosdbDriver({ container, place, close: () => client.dispose() }));
  } catch (error) {
    client.dispose();
    throw atStart(error, place);
  }
}

async function setUp(client: CosmosClient, names: { database: string; container: string }, options: OpenOptions): Promise<Container> {
  await unlessThere(client.databases.createIfNotExists({ id: names.database }));
  const database = client.database(names.database);
  await unlessThere(database.containers.createIfNotExists(definition(names.container, options)));
  return database.container(names.container);
}

function definition(id: string, { throughput, autoscale }: OpenOptions): ContainerRequest {
  return {
    id,
    partitionKey: { paths: ['/partitionKey'], version: 2 },
    indexingPolicy: {
      indexingMode: 'consistent',
      automatic: false,
      includedPaths: [{ path: '/*' }],
      excludedPaths: [{ path: '/value/?' }],
    },
    ...(throughput ? (autoscale ? { maxThroughput: throughput } : { throughput }) : {}),
  };
}

/** Another server may be faster. */
async function unlessThere(making: Promise<unknown>): Promise<void> {
  try {
    await making;
  } catch (error) {
    if (statusOf(error) !== 409) throw error;
  }
}

function required(name: 'endpoint' | 'database' | 'container', value: string | undefined): string {
  if (value) return value;
  throw new SrvError('config', `database.cosmosdb.${name}: missing; set it to use database.type cosmosdb`);
}

/** What the operator can change is an error of the configuration. */
function atStart(error: unknown, place: string): SrvError {
  const { code, message } = explain(error, place);
  const hint = /consistency ?level/i.test(message) ? '; choose Bounded Staleness or Strong as default consistency of the account' : '';
  const ofConfiguration: Partial<Record<ErrorCode, ErrorCode>> = { forbidden: 'config', invalid: 'config', internal: 'config' };
  return new SrvError(ofConfiguration[code] ?? code, `database.cosmosdb: ${message}${hint}`, { cause: error });
}

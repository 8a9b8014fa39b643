/** Makes the client and sets up the table; a failure is reported in one line that names the key. */

import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { fromNodeProviderChain } from '@aws-sdk/credential-providers';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { SrvError, messageOf, withoutPassword } from '@srv/kernel';
import { createKvStore, measureConnections } from '@srv/lib-stores/kv';
import { explain } from './errors.js';
import { measureRequests } from './request-meter.js';
import { Retries } from './retries.js';
import { DynamodbDriver } from './store.js';
import { describe, setUpTable } from './table.js';
import type { ErrorCode, KvStore, Logger } from '@srv/kernel';
import type { Metrics } from '@srv/kernel/metrics';

export interface OpenOptions {
  readonly tableName: string;
  /** Most entries of a page of a scan, from 1. */
  readonly scanLimit: number;
  /** URL; absent: the one of the region. */
  readonly endpoint?: string | undefined;
  /** Absent: from the environment or the profile, as the AWS tools do. */
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
  /** Absent: credentials come from the environment, the profile or the machine, as the AWS tools find them. */
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
  /** Milliseconds; 0: none. */
  readonly healthCheckInterval: number;
  /** Per request, from 1. */
  readonly maxAttempts: number;
  /** 0: no limit. */
  readonly maxConnections: number;
  /** Milliseconds an attempt may wait for its answer. Default: 30,000. */
  readonly requestTimeout?: number;
  readonly log?: Logger;
  /** Default: nothing is measured. */
  readonly metrics?: Metrics | undefined;
}

/** Milliseconds to wait for a connection to be made. */
const connectionTimeout = 5_000;
/** The longest time a timer can wait, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/**
 * Connects, and makes the table when it is missing.
 * @throws SrvError `config` when region, credentials, rights or table name are not right, `unavailable` when DynamoDB
 * cannot be reached.
 */
export async function openDynamodbKvStore(options: OpenOptions): Promise<KvStore> {
  const retries = new Retries(options.maxAttempts);
  const client = makeClient(options, retries);
  if (options.metrics) measureRequests(client, options.metrics);
  const place = `table ${options.tableName} at ${options.endpoint || `region ${options.region || 'of the environment'}`}`;
  try {
    await setUpTable(client, options.tableName);
  } catch (error) {
    client.destroy();
    throw atStart(error, place);
  }
  const stopHealthCheck = startHealthCheck(client, options);
  return createKvStore(
    new DynamodbDriver({
      client: DynamoDBDocumentClient.from(client),
      tableName: options.tableName,
      retries,
      place,
      scanLimit: options.scanLimit,
      close: () => {
        stopHealthCheck();
        client.destroy();
      },
    }),
  );
}

function makeClient(options: OpenOptions, retries: Retries): DynamoDBClient {
  // The SDK would inform every user on standard error about its plans with old versions of Node.js.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const { endpoint, region, profile, accessKeyId, secretAccessKey, maxConnections, metrics } = options;
  if (endpoint && !/^https?:\/\//.test(endpoint)) {
    throw new SrvError(
      'config',
      `database.dynamodb.endpoint: ${withoutPassword(endpoint)} is not a URL; write http://host:port or https://host`,
    );
  }
  const agent = { keepAlive: true, maxSockets: maxConnections || Number.POSITIVE_INFINITY };
  const agents = [new HttpAgent(agent), new HttpsAgent(agent)] as const;
  if (metrics) measureConnections('dynamodb', agents, metrics);
  return new DynamoDBClient({
    ...(endpoint ? { endpoint } : {}),
    ...(region ? { region } : {}),
    ...(profile ? { profile } : {}),
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : fromNodeProviderChain(profile ? { profile } : {}),
    retryStrategy: retries,
    requestHandler: new NodeHttpHandler({
      httpAgent: agents[0],
      httpsAgent: agents[1],
      connectionTimeout,
      requestTimeout: options.requestTimeout ?? 30_000,
      throwOnRequestTimeout: true,
      // Waiting for one of `max_connections` is what the operator asked for, not a reason to warn.
      socketAcquisitionWarningTimeout: longestTimer,
    }),
  });
}

/**
 * Asks for the table now and then, one question at a time, so that a log at level debug shows since when it cannot be
 * reached.
 * @returns what ends it, together with a question that has no answer yet.
 */
function startHealthCheck(client: DynamoDBClient, { tableName, healthCheckInterval, log }: OpenOptions): () => void {
  if (healthCheckInterval === 0) return () => undefined;
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = Math.min(healthCheckInterval, longestTimer);
  const checks = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        const active = await describe(client, tableName, signal);
        log?.debug({ table: tableName, active }, 'database health check');
      } catch (error) {
        if (!signal.aborted) log?.debug({ table: tableName, error: messageOf(error) }, 'database health check failed');
      }
      await sleep(pause, undefined, { ref: false, signal }).catch(() => undefined);
    }
  };
  void checks();
  return () => stopping.abort();
}

/** What the operator can change is an error of the configuration. */
function atStart(error: unknown, place: string): SrvError {
  if (error instanceof Error && error.message === 'Region is missing') {
    return new SrvError('config', 'database.dynamodb.aws_region: no region is known; set it, or AWS_REGION, or a profile with a region');
  }
  const { code, message } = explain(error, place);
  const ofConfiguration: Partial<Record<ErrorCode, ErrorCode>> = { forbidden: 'config', invalid: 'config', internal: 'config' };
  return new SrvError(ofConfiguration[code] ?? code, `database.dynamodb: ${message}`, { cause: error });
}

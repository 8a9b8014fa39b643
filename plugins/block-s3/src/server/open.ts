/** Makes the store from configuration values. Nothing is asked of the network here. */

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { fromNodeProviderChain } from '@aws-sdk/credential-providers';
import { SrvError, messageOf } from '@srv/kernel';
import { createBlockStore, measureConnections } from '@srv/lib-stores/block';
import { scheme } from './address.js';
import { Clients, silent } from './client.js';
import { s3Info } from './info.js';
import { BucketRegions } from './regions.js';
import { S3Driver } from './store.js';
import type { ServerSideEncryption } from '@aws-sdk/client-s3';
import type { Logger } from '@srv/kernel';
import type { Metrics } from '@srv/kernel/metrics';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Encryption } from './address.js';
import type { Credentials } from './client.js';
import type { S3Settings, StoreLimits } from './options.js';
import type { VendOptions } from './vend.js';

/** What tests change, the service's own values otherwise; and where connections are counted. */
export interface OpenOptions {
  readonly limits?: Partial<StoreLimits>;
  /** A connection on which nothing moves for so long is given up, in milliseconds. */
  readonly idleTimeoutMs?: number;
  readonly metrics?: Metrics | undefined;
}

/** @throws SrvError `config` when the credentials file cannot be read. */
export async function openS3BlockStore(
  values: S3Settings,
  log: Logger,
  { limits, metrics, ...options }: OpenOptions = {},
): Promise<BlockStore> {
  const region = values['blockstore.s3.region'];
  const identity = await credentials(values);
  const clients = new Clients({
    credentials: identity,
    endpoint: given(values['blockstore.s3.endpoint']),
    preSignedEndpoint: given(values['blockstore.s3.pre_signed_endpoint']),
    forcePathStyle: values['blockstore.s3.force_path_style'],
    skipVerifyCertificate: values['blockstore.s3.skip_verify_certificate_test_only'],
    maxAttempts: values['blockstore.s3.max_retries'],
    logRequests: values['blockstore.s3.client_log_request'],
    logRetries: values['blockstore.s3.client_log_retries'],
    log,
    ...options,
  });
  if (metrics) measureConnections(scheme, clients.agents, metrics);
  const regions = new BucketRegions({
    client: clients.in(region),
    fallback: region,
    discover: values['blockstore.s3.discover_bucket_region'],
    log,
  });
  const driver = new S3Driver(clients, regions, {
    info: s3Info(values, Object.keys(encryption(values)).length > 0),
    encryption: encryption(values),
    preSignedExpiryMs: values['blockstore.s3.pre_signed_expiry'],
    vend: vending(values, identity),
    log,
    limits,
  });
  return createBlockStore(driver);
}

/** An empty environment variable counts as unset. */
function given(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

async function credentials(values: S3Settings): Promise<Credentials> {
  const accessKeyId = given(values['blockstore.s3.credentials.access_key_id']);
  const secretAccessKey = given(values['blockstore.s3.credentials.secret_access_key']);
  const sessionToken = given(values['blockstore.s3.credentials.session_token']);
  if (accessKeyId !== undefined && secretAccessKey !== undefined)
    return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  const filepath = given(values['blockstore.s3.credentials_file']);
  if (filepath !== undefined) await checkReadable(filepath);
  const named = given(values['blockstore.s3.profile']);
  // A profile, or a file of them, is chosen by the operator: it counts before keys that happen to be in the environment.
  const profile = named ?? (filepath === undefined ? undefined : (given(process.env['AWS_PROFILE']) ?? 'default'));
  return fromNodeProviderChain({
    logger: silent,
    ...(profile === undefined ? {} : { profile }),
    ...(filepath === undefined ? {} : { filepath }),
  });
}

async function checkReadable(file: string): Promise<void> {
  try {
    await access(file, constants.R_OK);
  } catch (error) {
    throw new SrvError(
      'config',
      `blockstore.s3.credentials_file: ${file}: cannot be read (${messageOf(error)}); correct the path or its permissions`,
      {
        cause: error,
      },
    );
  }
}

function vending(values: S3Settings, identity: Credentials): VendOptions | undefined {
  const roleArn = given(values['blockstore.s3.vended_credentials.role_arn']);
  if (roleArn === undefined) return undefined;
  return {
    roleArn,
    externalId: given(values['blockstore.s3.vended_credentials.external_id']),
    stsEndpoint: given(values['blockstore.s3.vended_credentials.sts_endpoint']),
    credentials: identity,
    endpoint: given(values['blockstore.s3.pre_signed_endpoint']) ?? given(values['blockstore.s3.endpoint']),
    forcePathStyle: values['blockstore.s3.force_path_style'],
    encryption: encryption(values),
  };
}

function encryption(values: S3Settings): Encryption {
  const format = given(values['blockstore.s3.server_side_encryption']);
  const kmsKeyId = given(values['blockstore.s3.server_side_encryption_kms_key_id']);
  return {
    ...(format === undefined ? {} : { ServerSideEncryption: format as ServerSideEncryption }),
    ...(kmsKeyId === undefined ? {} : { SSEKMSKeyId: kmsKeyId }),
  };
}

/** Makes the store from configuration values. Nothing is asked of the network here. */
import { measureConnections } from '@srv/kernel/metrics';
import type { Metrics } from '@srv/kernel/metrics';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { fromNodeProviderChain } from '@aws-sdk/credential-providers';
import { SrvError, messageOf } from '@srv/kernel';
import { Clients, silent } from './clients.js';
import { BucketRegions } from './regions.js';
import { S3BlockStore, scheme } from './store.js';
import type { ServerSideEncryption } from '@aws-sdk/client-s3';
import type { Logger, Values } from '@srv/kernel';
import type { StorageInfo } from '@srv/lib-stores/block';
import type { blockS3Config } from '../config.js';
import type { Credentials } from './clients.js';
import type { Encryption } from './object-location.js';
import type { StoreLimits } from './store.js';

export type S3Settings = Values<(typeof blockS3Config)['keys']>;

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
): Promise<S3BlockStore> {
  const region = values['blockstore.s3.region'];
  const clients = new Clients({
    credentials: await credentials(values),
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
  return new S3BlockStore({
    clients,
    regions,
    info: info(values),
    encryption: encryption(values),
    preSignedExpiryMs: values['blockstore.s3.pre_signed_expiry'],
    log,
    ...(limits ? { limits } : {}),
  });
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

function encryption(values: S3Settings): Encryption {
  const format = given(values['blockstore.s3.server_side_encryption']);
  const kmsKeyId = given(values['blockstore.s3.server_side_encryption_kms_key_id']);
  return {
    ...(format === undefined ? {} : { ServerSideEncryption: format as ServerSideEncryption }),
    ...(kmsKeyId === undefined ? {} : { SSEKMSKeyId: kmsKeyId }),
  };
}

function info(values: S3Settings): StorageInfo {
  const preSign = !values['blockstore.s3.disable_pre_signed'];
  return {
    type: scheme,
    namespacePattern: '^s3://',
    namespaceExample: 's3://example-bucket/',
    defaultNamespacePrefix: '',
    preSign,
    preSignUi: preSign && !values['blockstore.s3.disable_pre_signed_ui'],
    preSignMultipart: preSign && values['blockstore.s3.disable_pre_signed_multipart'] !== true,
    importSupported: true,
    importPattern: '^s3://',
    productionSafe: true,
    region: values['blockstore.s3.region'],
  };
}

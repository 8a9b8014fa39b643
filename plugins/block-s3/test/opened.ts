/** Stores for tests, opened from configuration values as the server does. */
import { Config, silentLogger } from '@srv/kernel';
import blockS3Config from '../src/config.js';
import { Clients } from '../src/server/client.js';
import { openS3BlockStore } from '../src/server/open.js';
import type { Logger } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { S3Server } from '@srv/test-servers/s3';
import type { ClientOptions, Credentials } from '../src/server/client.js';
import type { OpenOptions } from '../src/server/open.js';

type Options = OpenOptions & { readonly log?: Logger };
/** Keys without `blockstore.s3.`. */
type Settings = Readonly<Record<string, unknown>>;

export const accessKeyId = 'the-access-key-id';
export const secretAccessKey = 'the-secret-access-key';

/** @throws SrvError `config` as at start. */
export async function openStore(values: Settings, { log = silentLogger, ...options }: Options = {}): Promise<BlockStore> {
  const entries = Object.entries(values).map(([name, raw]) => ({ key: `blockstore.s3.${name}`, raw, source: 'test' }));
  return openS3BlockStore(Config.create([blockS3Config], entries).values(blockS3Config.keys), log, options);
}

/** A store whose requests go to a local address. */
export function openAt(endpoint: string, values: Settings = {}, options: Options = {}): Promise<BlockStore> {
  const settings = {
    endpoint,
    force_path_style: true,
    discover_bucket_region: false,
    'credentials.access_key_id': accessKeyId,
    'credentials.secret_access_key': secretAccessKey,
  };
  return openStore({ ...settings, ...values }, options);
}

/** A store over a test server, or over what stands before it at another address. */
export function openOver(server: S3Server, values: Settings = {}, options: Options = {}): Promise<BlockStore> {
  const keys = { 'credentials.access_key_id': server.accessKeyId, 'credentials.secret_access_key': server.secretAccessKey };
  return openAt(server.url, { ...keys, ...values }, options);
}

/** Clients without a store. */
export function openClients(credentials: Credentials, options: Partial<ClientOptions> = {}): Clients {
  return new Clients({
    credentials,
    forcePathStyle: true,
    skipVerifyCertificate: false,
    maxAttempts: 1,
    logRequests: false,
    logRetries: false,
    log: silentLogger,
    ...options,
  });
}

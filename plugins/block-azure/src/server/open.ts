/** Opens the store. Nothing is asked of the service: accounts are known only from the addresses of objects. */
import { SrvError, silentLogger, withoutPassword } from '@srv/kernel';
import { createBlockStore } from '@srv/lib-stores/block';
import { Accounts } from './client.js';
import { AzureDriver } from './store.js';
import type { Logger } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { AccountOptions } from './client.js';

export interface OpenOptions extends Omit<AccountOptions, 'tryTimeout' | 'domain'> {
  readonly domain?: string;
  /** Milliseconds; 0 is the default, 15 minutes. */
  readonly preSignedExpiry?: number;
  readonly disablePreSigned?: boolean;
  readonly disablePreSignedUi?: boolean;
  /** For accounts with a hierarchical namespace. */
  readonly vendedCredentials?: boolean;
  /** Milliseconds a request may take until its answer begins. Default: 10 minutes. */
  readonly tryTimeout?: number;
  readonly log?: Logger;
}

const defaultExpiry = 15 * 60_000;
const defaultTryTimeout = 10 * 60_000;

/** @throws SrvError `config` for a key or URL that cannot be one. */
export function openAzureBlockStore({
  preSignedExpiry,
  tryTimeout,
  domain = 'blob.core.windows.net',
  ...options
}: OpenOptions): BlockStore {
  const { storageAccessKey, testEndpointUrl, vendedCredentials = false } = options;
  const { disablePreSigned = false, disablePreSignedUi = true, log = silentLogger } = options;
  if (storageAccessKey && !/^[A-Za-z0-9+/]+={0,2}$/.test(storageAccessKey))
    throw new SrvError('config', 'blockstore.azure.storage_access_key: is not base64; copy one of the access keys of the storage account');
  if (testEndpointUrl && !URL.canParse(testEndpointUrl))
    throw new SrvError(
      'config',
      `blockstore.azure.test_endpoint_url: ${withoutPassword(testEndpointUrl)} is not a URL; write http://<host>:<port>/<account>`,
    );
  const accounts = new Accounts({ ...options, domain, tryTimeout: tryTimeout || defaultTryTimeout });
  const settings = { preSignedExpiry: preSignedExpiry || defaultExpiry, disablePreSigned, disablePreSignedUi, vendedCredentials, log };
  return createBlockStore(new AzureDriver(accounts, settings));
}

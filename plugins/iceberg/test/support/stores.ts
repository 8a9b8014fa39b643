/** Catalogs on every kind of store that test servers offer. */
import { NeedsError } from '@srv/test-servers';
import { azuriteDomain, startAzurite } from '@srv/test-servers/azure';
import { startS3 } from '@srv/test-servers/s3';
import { startCatalog } from './server.js';
import type { CatalogServer } from './server.js';

interface Opened {
  readonly plugin: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly namespace: string;
  readonly close: () => Promise<void>;
}

const stores = {
  async 'S3 (versitygw)'(): Promise<Opened> {
    const { url, accessKeyId, secretAccessKey, namespace, close } = await startS3('versitygw');
    const config = {
      'blockstore.type': 's3',
      'blockstore.s3.endpoint': url,
      'blockstore.s3.force_path_style': true,
      'blockstore.s3.discover_bucket_region': false,
      'blockstore.s3.credentials.access_key_id': accessKeyId,
      'blockstore.s3.credentials.secret_access_key': secretAccessKey,
    };
    return { plugin: 'block-s3', config, namespace: `${namespace}/lake`, close };
  },
  async Azurite(): Promise<Opened> {
    const azurite = await startAzurite();
    const config = {
      'blockstore.type': 'azure',
      'blockstore.azure.storage_account': azurite.account,
      'blockstore.azure.storage_access_key': azurite.accessKey,
      'blockstore.azure.domain': azuriteDomain,
      'blockstore.azure.test_endpoint_url': azurite.url,
    };
    return { plugin: 'block-azure', config, namespace: `${await azurite.createContainer('lake')}/lake`, close: () => azurite.close() };
  },
  folder: async (): Promise<Opened> => ({ plugin: 'block-local', config: {}, namespace: 'local://lake', close: async () => {} }),
};

export type StoreName = keyof typeof stores;
export const storeNames = Object.keys(stores) as readonly StoreName[];

export interface CatalogOnStore {
  readonly server: CatalogServer;
  close(): Promise<void>;
}

/** @returns why tests are skipped, where a program is missing. */
export async function openOnStore(name: StoreName, values: Readonly<Record<string, unknown>> = {}): Promise<CatalogOnStore | string> {
  let store: Opened;
  try {
    store = await stores[name]();
  } catch (error) {
    if (!(error instanceof NeedsError)) throw error;
    return `needs ${error.message}`;
  }
  const local = name === 'folder' ? {} : { 'blockstore.local.path': undefined };
  const server = await startCatalog({ ...local, ...store.config, ...values }, [store.plugin], store.namespace);
  return {
    server,
    async close() {
      await server.stop();
      await store.close();
    },
  };
}

/** Azurite with an open store, for one test file. */
import { after, before } from 'node:test';
import { identifierType } from '@srv/lib-stores/block';
import { azuriteDomain, startAzurite } from '@srv/test-servers/azure';
import { openAzureBlockStore } from '../src/server/open.js';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';
import type { AzuriteServer } from '@srv/test-servers/azure';
import type { OpenOptions } from '../src/server/open.js';

export const container = 'objects';
export const namespace = `https://devstoreaccount1.${azuriteDomain}/${container}`;

export const at = (identifier: string): ObjectPointer => ({ namespace, identifier, identifierType: identifierType.relative });

/** Retries without the waiting. */
export const quickRetry = { tries: 3, delay: 1 } as const;

/** Starts the server before the tests of the file and stops it after them. */
export function useAzurite(): { server: () => AzuriteServer; open: (options?: OpenOptions) => BlockStore } {
  let running: AzuriteServer | undefined;
  const server = (): AzuriteServer => {
    if (!running) throw new Error('Azurite has not started');
    return running;
  };
  before(async () => {
    running = await startAzurite();
    await running.createContainer(container);
  });
  after(() => running?.close());
  const open = (options: OpenOptions = {}): BlockStore =>
    openAzureBlockStore({
      storageAccount: server().account,
      storageAccessKey: server().accessKey,
      domain: azuriteDomain,
      testEndpointUrl: server().url,
      retry: quickRetry,
      ...options,
    });
  return { server, open };
}

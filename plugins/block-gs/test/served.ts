/** The fake with an open store, for one test file. */
import { after, before } from 'node:test';
import { identifierType } from '@srv/lib-stores/block';
import { startGs } from '@srv/test-servers/gs';
import { openGsBlockStore } from '../src/server/open.js';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';
import type { FakeGsServer } from '@srv/test-servers/gs';
import type { OpenOptions } from '../src/server/open.js';

export const bucket = 'objects';
export const namespace = `gs://${bucket}`;

export const at = (identifier: string): ObjectPointer => ({ namespace, identifier, identifierType: identifierType.relative });

/** Retries without the waiting. */
export const quickRetry = { tries: 3, delay: 1 } as const;

/** Starts the server before the tests of the file and stops it after them. */
export function useGs(): { server: () => FakeGsServer; open: (options?: OpenOptions) => Promise<BlockStore> } {
  let running: FakeGsServer | undefined;
  const server = (): FakeGsServer => {
    if (!running) throw new Error('the fake has not started');
    return running;
  };
  before(async () => {
    running = await startGs();
    await running.createBucket(bucket);
  });
  after(() => running?.close());
  const open = (options: OpenOptions = {}): Promise<BlockStore> =>
    openGsBlockStore({ credentialsJson: server().credentialsJson, testEndpointUrl: server().url, retry: quickRetry, ...options });
  return { server, open };
}

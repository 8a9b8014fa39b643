import { test } from 'node:test';
import { testBlockStore } from '@srv/lib-stores/testing';
import { NeedsError } from '@srv/test-servers';
import { startFakeGcsServer, startGs } from '@srv/test-servers/gs';
import { openGsBlockStore } from '../src/server/open.js';
import type { OpenBlockStore } from '@srv/lib-stores/testing';
import type { GsServer } from '@srv/test-servers/gs';

const folder = 'prefix';
/** The service's limit of names, less the folder, the run and their slashes. */
const longestKey = 1024 - folder.length - 36 - 2;

async function opened(server: GsServer): Promise<OpenBlockStore> {
  const namespace = await server.createBucket('suite');
  const store = await openGsBlockStore({ credentialsJson: server.credentialsJson, testEndpointUrl: server.url, pageSize: 7 });
  return { store, namespace: `${namespace}/${folder}`, cleanup: () => server.close() };
}

testBlockStore('block-gs on the fake of this repository', async () => opened(await startGs()), {
  refusesKey: key => Buffer.byteLength(key) > longestKey,
});

try {
  const server = await startFakeGcsServer('memory');
  testBlockStore('block-gs on fake-gcs-server', () => opened(server), { joinsReplacedParts: true });
} catch (error) {
  if (!(error instanceof NeedsError)) throw error;
  test('block-gs on fake-gcs-server', t => t.skip(`needs ${error.message}`));
}

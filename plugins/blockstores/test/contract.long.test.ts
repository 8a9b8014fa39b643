/** The conformance suite of block stores on memory, S3 and Azure, each as one of several stores. */
import { test } from 'node:test';
import blockAzureConfig from '@srv/block-azure/config';
import blockAzure from '@srv/block-azure/plugin';
import blockMem from '@srv/block-mem/plugin';
import blockS3Config from '@srv/block-s3/config';
import blockS3 from '@srv/block-s3/plugin';
import { createTestKernel } from '@srv/kernel/testing';
import { testBlockStore } from '@srv/lib-stores/testing';
import { NeedsError } from '@srv/test-servers';
import { azuriteDomain, startAzurite } from '@srv/test-servers/azure';
import { startS3 } from '@srv/test-servers/s3';
import { blockstoresConfig } from '../src/config.js';
import blockstores from '../src/server/index.js';
import { openBoth } from './fixture.js';
import type { S3Server } from '@srv/test-servers/s3';

/** One store, and memory as the default one beside it. */
const open = async (store: object, namespace: string, close: () => Promise<void>) => {
  const kernel = await createTestKernel({
    plugins: [
      blockMem,
      { plugin: blockS3, section: blockS3Config },
      { plugin: blockAzure, section: blockAzureConfig },
      { plugin: blockstores, section: blockstoresConfig },
    ],
    config: {
      'blockstore.type': 'multiple',
      'blockstores.stores': [
        { id: 'ram', backward_compatible: true, type: 'mem' },
        { id: 'cloud', ...store },
      ],
    },
  });
  return {
    store: kernel.services.get('block'),
    namespace: `cloud+${namespace}`,
    async cleanup() {
      await kernel.stop();
      await close();
    },
  };
};

testBlockStore('memory of two stores', async () => {
  const { kernel, close } = await openBoth();
  return { store: kernel.services.get('block'), namespace: 'ram+mem://suite', cleanup: close };
});

testBlockStore('Azurite of two stores', async () => {
  const server = await startAzurite();
  const azure = {
    storage_account: server.account,
    storage_access_key: server.accessKey,
    domain: azuriteDomain,
    test_endpoint_url: server.url,
  };
  return open({ type: 'azure', azure }, `${await server.createContainer('suite')}/prefix`, () => server.close());
});

/** The gateway of this product keeps keys as they are; versitygw makes files of them. */
const names = ['versitygw', 'gateway'] as const;
for (const name of names) {
  let server: S3Server;
  try {
    server = await startS3(name);
  } catch (error) {
    if (!(error instanceof NeedsError)) throw error;
    test(`${name} of two stores`, t => t.skip(`needs ${error.message}`));
    continue;
  }
  const s3 = {
    endpoint: server.url,
    force_path_style: true,
    discover_bucket_region: false,
    credentials: { access_key_id: server.accessKeyId, secret_access_key: server.secretAccessKey },
  };
  testBlockStore(`${name} of two stores`, () => open({ type: 's3', s3 }, server.namespace, () => server.close()), {
    refusesKey: key => Buffer.byteLength(key) > 900 || (name === 'versitygw' && isNoPath(key)),
  });
}

const taken: string[] = [];

function isNoPath(key: string): boolean {
  const refused =
    key.split('/').some(part => part === '' || Buffer.byteLength(part) > 255) ||
    taken.some(other => other.startsWith(`${key}/`) || key.startsWith(`${other}/`));
  if (!refused) taken.push(key);
  return refused;
}

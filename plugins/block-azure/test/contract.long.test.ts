import { testBlockStore } from '@srv/lib-stores/testing';
import { azuriteDomain, startAzurite } from '@srv/test-servers/azure';
import { openAzureBlockStore } from '../src/server/open.js';

testBlockStore('block-azure on Azurite', async () => {
  const server = await startAzurite();
  const namespace = await server.createContainer('suite');
  const store = openAzureBlockStore({
    storageAccount: server.account,
    storageAccessKey: server.accessKey,
    domain: azuriteDomain,
    testEndpointUrl: server.url,
    // Small pages, so that walks have several.
    pageSize: 7,
  });
  return { store, namespace: `${namespace}/prefix`, cleanup: () => server.close() };
});

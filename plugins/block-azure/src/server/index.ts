/** Opens the block store in Azure Blob Storage when `blockstore.type` is `azure`. */
import { definePlugin } from '@srv/kernel';
import { blockAzureConfig, chinaDomain } from '../config.js';

export default definePlugin({
  name: 'block-azure',
  apply(kernel) {
    kernel.hooks.openBlockStore.for('azure').tapPromise('block-azure', async config => {
      const values = config.values(blockAzureConfig.keys);
      const china = values['blockstore.azure.china_cloud'];
      if (china)
        kernel.log.warn({ domain: chinaDomain }, 'blockstore.azure.china_cloud is deprecated: set blockstore.azure.domain instead');
      const { openAzureBlockStore } = await import('./open.js');
      return openAzureBlockStore({
        storageAccount: values['blockstore.azure.storage_account'],
        storageAccessKey: values['blockstore.azure.storage_access_key'],
        preSignedExpiry: values['blockstore.azure.pre_signed_expiry'],
        vendedCredentials: values['blockstore.azure.vended_credentials'],
        disablePreSigned: values['blockstore.azure.disable_pre_signed'],
        disablePreSignedUi: values['blockstore.azure.disable_pre_signed_ui'],
        domain: china ? chinaDomain : values['blockstore.azure.domain'],
        tryTimeout: values['blockstore.azure.try_timeout'],
        testEndpointUrl: values['blockstore.azure.test_endpoint_url'],
        log: kernel.log,
      });
    });
  },
});

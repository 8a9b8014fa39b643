/** Opens the block store in Google Cloud Storage when `blockstore.type` is `gs`. */

import { definePlugin } from '@srv/kernel';
import { blockGsConfig } from '../config.js';
import type {} from '@srv/kernel/metrics';

export default definePlugin({
  name: 'block-gs',
  apply(kernel) {
    kernel.hooks.openBlockStore.for('gs').tapPromise('block-gs', async config => {
      const values = config.values(blockGsConfig.keys);
      const { openGsBlockStore } = await import('./open.js');
      return openGsBlockStore({
        credentialsFile: values['blockstore.gs.credentials_file'],
        credentialsJson: values['blockstore.gs.credentials_json'],
        preSignedExpiry: values['blockstore.gs.pre_signed_expiry'],
        vendedCredentials: values['blockstore.gs.vended_credentials'],
        disablePreSigned: values['blockstore.gs.disable_pre_signed'],
        disablePreSignedUi: values['blockstore.gs.disable_pre_signed_ui'],
        customerSuppliedKey: values['blockstore.gs.server_side_encryption_customer_supplied'],
        kmsKeyId: values['blockstore.gs.server_side_encryption_kms_key_id'],
        testEndpointUrl: values['blockstore.gs.test_endpoint_url'],
        log: kernel.log,
        metrics: kernel.services.find('metrics'),
      });
    });
  },
});

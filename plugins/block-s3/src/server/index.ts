/** Opens the block store in S3 when `blockstore.type` is `s3`. */

import { definePlugin } from '@srv/kernel';
import { blockS3Config } from '../config.js';
import type {} from '@srv/kernel/metrics';

export default definePlugin({
  name: 'block-s3',
  apply(kernel) {
    kernel.hooks.openBlockStore.for('s3').tapPromise('block-s3', async config => {
      // The client library is loaded only where it is used.
      const { openS3BlockStore } = await import('./open.js');
      const metrics = kernel.services.find('metrics');
      return openS3BlockStore(config.values(blockS3Config.keys), kernel.log, { metrics });
    });
  },
});

import { definePlugin } from '@srv/kernel';
import section from '../config.js';
import { createCatalog } from './service.js';

export default definePlugin({
  name: 'catalog',
  apply(kernel) {
    kernel.hooks.start.tap('catalog', () => {
      const values = kernel.config.values(section.keys);
      const catalog = createCatalog({
        versioning: kernel.services.get('versioning'),
        committed: kernel.services.get('committed'),
        block: kernel.services.get('block'),
        log: kernel.log.child({ service: 'catalog' }),
        checkRootNamespace: values['graveler.ensure_readable_root_namespace'],
      });
      kernel.services.provide('catalog', catalog);
    });
  },
});

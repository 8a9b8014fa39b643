/** The plugin: serves the built page on the common listener. */
import { fileURLToPath } from 'node:url';
import { definePlugin } from '@srv/kernel';
import { OperationList } from '@srv/lib-operations';
import section from '../config.js';
import { Assets } from './assets.js';
import { PageDocument } from './document.js';
import { describeOperations } from './operation-table.js';
import { readPageParts } from './page-parts.js';
import { addPageRoutes } from './routes.js';
import { addStoreAccess } from './store-access.js';
import { storeOrigin } from './store-origin.js';
import type {} from '@srv/lib-engine-operations';

/** Where the bundler puts the page. */
const built = fileURLToPath(new URL('../../page/', import.meta.url));

export default definePlugin({
  name: 'ui',
  apply(kernel) {
    kernel.hooks.routes.tapPromise('ui', async server => {
      if (!kernel.config.values(section.keys)['ui.enabled']) return;
      const table = new OperationList();
      kernel.hooks.operations.call(table);
      const assets = await Assets.open(built);
      const parts = await readPageParts(kernel.plugins, assets, kernel.log);
      const boot = { version: kernel.services.find('api')?.version ?? '', operations: describeOperations(table.list()), parts };
      const document = new PageDocument(assets.template, boot);
      addPageRoutes(server, { assets, document });
      addStoreAccess(server, repository => storeOrigin(kernel.services, repository));
    });
  },
});

/** The plugin: serves the built page on the common listener. */
import { fileURLToPath } from 'node:url';
import { definePlugin } from '@srv/kernel';
import { OperationList } from '@srv/lib-api';
import section from '../config.js';
import { originOf } from '../record-list.js';
import { Assets } from './assets.js';
import { documentHeaders } from './content-security.js';
import { PageDocument } from './document.js';
import { describeOperations } from './operation-table.js';
import { readPageParts, readShellParts } from './page-parts.js';
import { addPageRoutes } from './routes.js';
import { snippetHtml, snippetSources } from './snippets.js';
import { addStoreAccess } from './store-access.js';
import { storeOrigin } from './store-origin.js';
import type {} from '@srv/engine/operations';

/** A label that is not configured is absent, not undefined. */
const withoutBlanks = <T extends { readonly label: string | undefined }>({ label, ...field }: T) =>
  label === undefined ? field : { ...field, label };

/** Where the bundler puts the page. */
const built = fileURLToPath(new URL('../../page/', import.meta.url));

export default definePlugin({
  name: 'ui',
  apply(kernel) {
    kernel.hooks.start.tap('ui', () => {
      const config = kernel.config.values(section.keys);
      kernel.services.provide('customViewers', config['ui.custom_viewers']);
      kernel.services.provide('commitFields', config['ui.commit_metadata'].map(withoutBlanks));
    });
    kernel.hooks.routes.tapPromise('ui', async server => {
      const config = kernel.config.values(section.keys);
      if (!config['ui.enabled']) return;
      const snippets = config['ui.snippets'];
      const viewers = config['ui.custom_viewers'].flatMap(({ url }) => originOf(url) ?? []);
      const table = new OperationList();
      kernel.hooks.operations.call(table);
      const assets = await Assets.open(built);
      const parts = await readPageParts(kernel.plugins, assets, kernel.log);
      const shell = await readShellParts(kernel.plugins, assets, kernel.log);
      const boot = { version: kernel.services.find('api')?.version ?? '', operations: describeOperations(table.list()), parts, shell };
      const document = new PageDocument(assets.template, boot, snippetHtml(snippets));
      const headers = documentHeaders({ ...snippetSources(snippets), viewers: [...new Set(viewers)] });
      addPageRoutes(server, { assets, document, headers });
      addStoreAccess(server, repository => storeOrigin(kernel.services, repository));
    });
  },
});

/** The plugin: compares tables and adds the operation. */
import { definePlugin } from '@srv/kernel';
import { removeLeftFolders } from '@srv/lib-records/owned-folder';
import section from '../config.js';
import operations from '../operations.js';
import { createRowDiffs, folderPrefix } from './row-diffs.js';

export default definePlugin({
  name: 'row-diff',
  apply(kernel) {
    const { hooks, services } = kernel;
    hooks.operations.tap('row-diff', table => table.add('row-diff', operations));
    let cleaning: Promise<void> | undefined;
    hooks.stop.tapPromise('row-diff', async () => cleaning);
    hooks.start.tap('row-diff', () => {
      const values = kernel.config.values(section.keys);
      cleaning = removeLeftFolders(values['row_diff.dir'], folderPrefix, kernel.log);
      services.provide(
        'rowDiffs',
        createRowDiffs({
          engine: services.get('engine'),
          maxObject: values['row_diff.max_object_bytes'],
          memory: values['row_diff.memory_bytes'],
          concurrency: values['row_diff.concurrency'],
          timeout: values['row_diff.timeout'],
          folder: values['row_diff.dir'],
          log: kernel.log,
        }),
      );
    });
  },
});

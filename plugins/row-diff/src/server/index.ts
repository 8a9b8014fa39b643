/** The plugin: compares tables and adds the operation. */
import { definePlugin } from '@srv/kernel';
import section from '../config.js';
import operations from '../operations.js';
import { createRowDiffs } from './row-diffs.js';

export default definePlugin({
  name: 'row-diff',
  apply(kernel) {
    const { hooks, services } = kernel;
    hooks.operations.tap('row-diff', table => table.add('row-diff', operations));
    hooks.start.tap('row-diff', () => {
      const values = kernel.config.values(section.keys);
      services.provide(
        'rowDiffs',
        createRowDiffs({
          engine: services.get('engine'),
          maxObject: values['row_diff.max_object_bytes'],
          memory: values['row_diff.memory_bytes'],
          concurrency: values['row_diff.concurrency'],
          timeout: values['row_diff.timeout'],
          folder: values['row_diff.dir'],
        }),
      );
    });
  },
});

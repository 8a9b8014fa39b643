import { definePlugin } from '@srv/kernel';
import section from '../config.js';
import operations from '../operations/index.js';
import { StoredRules } from '../rules/stored-rules.js';
import { createPreparation } from './preparation.js';

export default definePlugin({
  name: 'gc',
  apply(kernel) {
    kernel.hooks.operations.tap('gc', table => table.add('gc', operations));
    kernel.hooks.start.tap('gc', () => {
      const { services } = kernel;
      const values = kernel.config.values(section.keys);
      const [kv, block, committed] = [services.get('kv'), services.get('block'), services.get('committed')];
      const log = kernel.log.child({ service: 'gc' });
      const preparation = createPreparation({
        kv,
        block,
        committed,
        log,
        versioning: services.get('versioning'),
        tasks: services.get('tasks'),
        rules: new StoredRules(block, committed),
        maxFileSize: values['ugc.prepare_max_file_size'],
        interval: values['ugc.prepare_interval'],
      });
      services.provide('gc', preparation);
    });
  },
});

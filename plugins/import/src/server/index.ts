import { definePlugin } from '@srv/kernel';
import { ImportService } from './service.js';

export default definePlugin({
  name: 'import',
  apply(kernel) {
    let imports: ImportService | undefined;
    kernel.hooks.start.tap('import', () => {
      const { services } = kernel;
      imports = new ImportService({
        kv: services.get('kv'),
        block: services.get('block'),
        committed: services.get('committed'),
        versioning: services.get('versioning'),
        log: kernel.log.child({ service: 'import' }),
      });
      services.provide('imports', imports);
    });
    kernel.hooks.stop.tapPromise('import', async () => imports?.stop());
  },
});

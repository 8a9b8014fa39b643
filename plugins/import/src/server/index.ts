import { definePlugin, messageOf } from '@srv/kernel';
import { DailyCleaner, isRepositoryPartition } from '@srv/lib-records';
import operations from '../operations.js';
import { decodeImport } from './import-record.js';
import { ImportService } from './service.js';
import type { Repository } from '@srv/engine/contract';

export default definePlugin({
  name: 'import',
  apply(kernel) {
    let imports: ImportService | undefined;
    let cleaner: DailyCleaner<Repository> | undefined;
    kernel.hooks.describeRecord.tap('import', (partition, { key, value }) =>
      isRepositoryPartition(partition) && key.toString('utf8').startsWith('imports/') ? decodeImport(value) : undefined,
    );
    kernel.hooks.guardPurge.tapPromise('import', async purge => imports?.refusePurge(purge));
    kernel.hooks.operations.tap('import', table => table.add('import', operations));
    kernel.hooks.start.tap('import', () => {
      const { services } = kernel;
      imports = new ImportService({
        kv: services.get('kv'),
        block: services.get('block'),
        committed: services.get('engine').tables,
        engine: services.get('engine'),
        log: kernel.log,
      });
      services.provide('imports', imports);
      const service = imports;
      cleaner = new DailyCleaner({
        engine: services.get('engine'),
        log: kernel.log,
        what: 'imports',
        clean: repository => service.clean(repository),
      });
    });
    kernel.hooks.ready.tap('import', () => {
      cleaner?.start();
      imports?.resume().catch((error: unknown) => kernel.log.warn({ error: messageOf(error) }, 'cannot look for unfinished imports'));
    });
    kernel.hooks.stop.tapPromise('import', async () => {
      cleaner?.stop();
      await imports?.stop();
    });
  },
});

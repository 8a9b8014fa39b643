/** The plugin: provides the engine, and adds the operation. */
import { definePlugin } from '@srv/kernel';
import { noopMetrics } from '@srv/kernel/metrics';
import { removeLeftFolders } from '@srv/lib-records/owned-folder';
import section from '../config.js';
import { folderPrefix } from '../engine/job.js';
import operations from '../operations.js';
import { QueryMeter } from './meter.js';
import { createSqlEngine } from './sql-engine.js';
import { TableCache } from './table-cache.js';
import type {} from '@srv/lib-records/tables/system-tables';

export default definePlugin({
  name: 'sql-engine',
  apply(kernel) {
    const { hooks, services } = kernel;
    hooks.operations.tap('sql-engine', table => table.add('sql-engine', operations));
    let cache: TableCache | undefined;
    let cleaning: Promise<void> | undefined;
    hooks.stop.tapPromise('sql-engine', async () => {
      await cleaning;
      await cache?.close();
    });
    hooks.start.tap('sql-engine', () => {
      const values = kernel.config.values(section.keys);
      cleaning = removeLeftFolders(values['sql_engine.dir'], folderPrefix, kernel.log);
      cache = new TableCache({ folder: values['sql_engine.dir'], limit: values['sql_engine.cache_bytes'], log: kernel.log });
      const engine = createSqlEngine({
        // The other plugin may start later.
        sources: () => ({
          engine: services.get('engine'),
          systemTables: services.find('systemTables') ?? {},
          catalogTables: services.find('catalogTables'),
        }),
        installedIn: values['sql_engine.installed_in'],
        folder: values['sql_engine.dir'],
        disk: values['sql_engine.disk_bytes'],
        memory: values['sql_engine.memory_bytes'],
        threads: values['sql_engine.threads'],
        concurrency: values['sql_engine.concurrency'],
        timeout: values['sql_engine.timeout'],
        maxRows: values['sql_engine.max_rows'],
        cache,
        meter: new QueryMeter(services.find('metrics') ?? noopMetrics),
        log: kernel.log,
      });
      services.provide('sqlEngine', engine);
      services.provide('canQuery', () => engine.missing() === undefined);
    });
  },
});

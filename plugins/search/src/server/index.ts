/** The plugin: indexes the branches that patterns select, and adds the operations. */
import { definePlugin, eventTypes } from '@srv/kernel';
import section from '../config.js';
import { IndexFiles } from '../index/index-files.js';
import { Indexer } from '../index/indexer.js';
import { RangeThreads } from '../index/threads.js';
import operations from '../operations/index.js';
import { BackgroundIndexing } from './background.js';
import { collectIndexFiles } from './collect-files.js';
import { createMetadataSearch } from './metadata-search.js';
import { Selection, describeRecord } from './selection.js';
import { systemTables } from './system-tables.js';
import type { PluginKernel } from '@srv/kernel';

/** Milliseconds. */
const patience = 25_000;

export default definePlugin({
  name: 'search',
  apply(kernel) {
    const { hooks } = kernel;
    let running: Running | undefined;
    hooks.describeRecord.tap('search', describeRecord);
    hooks.operations.tap('search', table => table.add('search', operations));
    for (const type of eventTypes)
      if (type.startsWith('post-') && !type.startsWith('post-pull-request-'))
        hooks.event.for(type).tap('search', ({ repository }) => running?.background.changed(repository));
    hooks.start.tap('search', () => {
      running = start(kernel);
    });
    hooks.ready.tap('search', () => running?.background.start());
    hooks.stop.tapPromise('search', async () => {
      await running?.background.stop();
      await running?.threads.close();
    });
  },
});

interface Running {
  readonly background: BackgroundIndexing;
  readonly threads: RangeThreads;
}

function start({ services, config, log }: PluginKernel): Running {
  const values = config.values(section.keys);
  const engine = services.get('engine');
  const files = new IndexFiles({ block: services.get('block'), committed: engine.tables, memory: values['search.cache_size_bytes'] });
  engine.hooks.collectFiles.tapPromise('search', collection => collectIndexFiles(collection, files));
  const threads = new RangeThreads(values['search.threads']);
  const indexer = new Indexer({ engine, files, threads, parallel: values['search.threads'] + 1 });
  const selection = new Selection(services.get('kv'), values['search.repositories']);
  const background = new BackgroundIndexing({ engine, indexer, selection, log, period: values['search.period'] });
  const search = createMetadataSearch({ engine, files, indexer, selection, background, patience });
  services.provide('search', search);
  services.provide('systemTables', systemTables(search, engine));
  return { background, threads };
}

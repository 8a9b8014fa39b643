import { noopMetrics } from '@srv/kernel/metrics';
import { createCacheMeter } from '../tables/cache/cache-meter.js';
import { FileCache } from '../tables/cache/file-cache.js';
import section from '../tables/config.js';
import { MetadataFolders } from '../tables/metadata-folders.js';
import { TieredCommittedStore } from '../tables/store.js';
import { WorkerPool } from '../tables/workers/worker-pool.js';
import type { PluginKernel } from '@srv/kernel';
import type { FileKind } from '../tables/cache/cache-meter.js';
import type { CommittedStore } from '../tables/contract.js';

/** Milliseconds from the first answer to the start of threads that may be needed: what is asked at once comes first. */
const warmAfter = 250;

export interface RunningTables {
  readonly store: CommittedStore;
  ready(): void;
  stop(): Promise<void>;
}

/** Opens the sorted tables. */
export async function startTables(kernel: PluginKernel): Promise<RunningTables> {
  const values = kernel.config.values(section.keys);
  const block = kernel.services.get('block');
  const log = kernel.log;
  const folders = new MetadataFolders({ block, configured: values['committed.block_storage_prefix'] });
  const folder = values['committed.local_cache.dir'];
  const metrics = kernel.services.find('metrics') ?? noopMetrics;
  const cache = (kind: FileKind, proportion: number): FileCache =>
    new FileCache({
      kind,
      folder,
      folders,
      block,
      log,
      meter: createCacheMeter(kind, metrics),
      capacityBytes: Math.trunc(proportion * values['committed.local_cache.size_bytes']),
    });
  const files = {
    range: cache('range', values['committed.local_cache.range_proportion']),
    'meta-range': cache('meta-range', values['committed.local_cache.metarange_proportion']),
  };
  await Promise.all([files.range.start(), files['meta-range'].start()]);
  const rules = {
    minSize: values['committed.permanent.min_range_size_bytes'],
    maxSize: values['committed.permanent.max_range_size_bytes'],
    raggedness: values['committed.permanent.range_raggedness_entries'],
  };
  const openReaders = {
    range: values['committed.local_cache.range.open_readers'],
    'meta-range': values['committed.local_cache.metarange.open_readers'],
  };
  const workers = new WorkerPool({ files, rules, openReaders, uploaders: values['committed.local_cache.max_uploaders_per_writer'] });
  const store = new TieredCommittedStore({
    files,
    workers,
    folders,
    memory: values['committed.sstable.memory.cache_size_bytes'],
    openReaders,
  });
  let warming: NodeJS.Timeout | undefined;
  return {
    store,
    ready() {
      if (values['committed.warm_up']) warming = setTimeout(() => void workers.warm(), warmAfter).unref();
    },
    async stop() {
      clearTimeout(warming);
      await workers.close();
      store.close();
      await Promise.all([files.range.stop(), files['meta-range'].stop()]);
    },
  };
}

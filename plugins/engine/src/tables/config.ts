import { defineConfig, key } from '@srv/kernel';

const proportionTolerance = 1e-6;

export default defineConfig({
  plugin: 'engine',
  keys: {
    'committed.block_storage_prefix': key.text({ default: '_srv', meaning: 'Folder of the metadata files inside each storage namespace' }),
    'committed.sstable.memory.cache_size_bytes': key.int({
      default: 200_000_000,
      min: 0,
      meaning: 'Memory for decoded blocks of metadata files',
    }),
    'committed.warm_up': key.bool({
      default: true,
      meaning: 'Take a second of processor time after the start, so that the first commit and the first merge are quick',
    }),
    'committed.local_cache.size_bytes': key.int({
      default: 1_073_741_824,
      min: 0,
      meaning: 'Disk space for copies of metadata files; may be exceeded for a moment',
    }),
    'committed.local_cache.dir': key.path({ default: '~/srv/data/cache', meaning: 'Folder of these copies' }),
    'committed.local_cache.range_proportion': key.float({ default: 0.9, min: 0, max: 1, meaning: 'Share of the space for ranges' }),
    'committed.local_cache.range.open_readers': key.int({ default: 500, min: 0, meaning: 'Idle range files kept open by each thread' }),
    'committed.local_cache.range.num_shards': key.int({
      default: 30,
      min: 1,
      meaning: 'Accepted and checked; readers of one process need no sharding',
    }),
    'committed.local_cache.metarange_proportion': key.float({ default: 0.1, min: 0, max: 1, meaning: 'Share of the space for metaranges' }),
    'committed.local_cache.metarange.open_readers': key.int({
      default: 50,
      min: 0,
      meaning: 'Idle metarange files kept open by each thread',
    }),
    'committed.local_cache.metarange.num_shards': key.int({ default: 10, min: 1, meaning: 'As for ranges' }),
    'committed.local_cache.max_uploaders_per_writer': key.int({
      default: 10,
      min: 1,
      meaning: 'Files one writer uploads at a time',
    }),
    'committed.permanent.min_range_size_bytes': key.int({ default: 0, min: 0, meaning: 'A smaller range is never closed by its keys' }),
    'committed.permanent.max_range_size_bytes': key.int({ default: 20_971_520, min: 1, meaning: 'A range of this size is closed' }),
    'committed.permanent.range_raggedness_entries': key.int({
      default: 50_000,
      min: 1,
      max: 2 ** 26,
      meaning: 'Average number of entries in a range, within the size limits',
    }),
  },
  check: values => {
    const problems: string[] = [];
    const folder = values['committed.block_storage_prefix'];
    if (!isMetadataFolder(folder)) {
      problems.push(
        `committed.block_storage_prefix: ${JSON.stringify(folder)} is not a folder inside a storage namespace; write a relative path ` +
          'such as _srv, without empty segments, "." and "..", and not below data, where the objects are',
      );
    }
    const total = values['committed.local_cache.range_proportion'] + values['committed.local_cache.metarange_proportion'];
    if (Math.abs(total - 1) > proportionTolerance)
      problems.push(`committed.local_cache: range_proportion and metarange_proportion must add up to 1, not ${total}`);
    if (values['committed.permanent.min_range_size_bytes'] > values['committed.permanent.max_range_size_bytes']) {
      problems.push('committed.permanent: min_range_size_bytes must not exceed max_range_size_bytes');
    }
    for (const kind of ['range', 'metarange'] as const) {
      const [shards, readers] = [values[`committed.local_cache.${kind}.num_shards`], values[`committed.local_cache.${kind}.open_readers`]];
      if (shards * shards < readers)
        problems.push(`committed.local_cache.${kind}.num_shards: ${shards} is below the square root of open_readers (${readers})`);
    }
    return problems;
  },
});

function isMetadataFolder(folder: string): boolean {
  const segments = folder.split('/');
  return segments[0] !== 'data' && segments.every(segment => segment !== '' && segment !== '.' && segment !== '..');
}

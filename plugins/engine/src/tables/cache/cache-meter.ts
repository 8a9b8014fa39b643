/** Metrics of the local copies of one kind of metadata file. */
import type { Counter, Histogram, Metrics } from '@srv/kernel/metrics';

export type FileKind = 'range' | 'meta-range';

/** Bytes. */
const sizeBuckets = Array.from({ length: 7 }, (_, i) => 1024 * 4 ** i);

export interface CacheMeter {
  /** A copy was there. */
  readonly hit: Counter;
  /** A copy had to be fetched. */
  readonly miss: Counter;
  /** A file was written that is stored already. */
  readonly exists: Counter;
  readonly failedDownload: Counter;
  readonly failedUpload: Counter;
  readonly failedRemoval: Counter;
  /** Bytes. */
  readonly download: Histogram;
  /** Bytes. */
  readonly eviction: Histogram;
}

export function createCacheMeter(kind: FileKind, metrics: Metrics): CacheMeter {
  const labels = ['fsName'];
  const hits = metrics.counter({
    name: 'tier_fs_cache_hits_total',
    help: 'Uses of local copies of metadata files; Miss: the copy had to be fetched, Exists: a file to be stored was stored already',
    labels: [...labels, 'status'],
  });
  const errors = metrics.counter({
    name: 'tier_fs_errors_total',
    help: 'Failures to fetch, store or remove a metadata file',
    labels: [...labels, 'type'],
  });
  const download = metrics.histogram({
    name: 'tier_fs_download_bytes',
    help: 'Sizes of fetched metadata files',
    labels,
    buckets: sizeBuckets,
  });
  const eviction = metrics.histogram({
    name: 'tier_fs_eviction_bytes',
    help: 'Sizes of local copies that made room for others',
    labels,
    buckets: sizeBuckets,
  });
  return {
    hit: hits.labels(kind, 'Hit'),
    miss: hits.labels(kind, 'Miss'),
    exists: hits.labels(kind, 'Exists'),
    failedDownload: errors.labels(kind, 'download'),
    failedUpload: errors.labels(kind, 'upload'),
    failedRemoval: errors.labels(kind, 'remove'),
    download: download.labels(kind),
    eviction: eviction.labels(kind),
  };
}

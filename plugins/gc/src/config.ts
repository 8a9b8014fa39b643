import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'gc',
  keys: {
    'ugc.prepare_max_file_size': key.int({
      default: 125_829_120,
      min: 0,
      meaning: 'Bytes of a file of uncommitted addresses, checked every 100,000 rows; 0: no limit',
    }),
    'ugc.prepare_interval': key.duration({
      default: '1m',
      meaning: 'Time one page of the preparation of uncommitted addresses may take; 0: no limit',
    }),
    'gc.accept_old_clients': key.bool({
      default: false,
      meaning: 'Prepare lists for Spark clients before 0.20.0 too, whose age limit must then be raised to 25 hours',
    }),
    'gc.schedule': key.duration({ default: '0s', meaning: 'Time between two runs of every repository that has rules; 0: only when asked' }),
    'gc.lifecycle_period': key.duration({
      default: '1h',
      meaning: 'Time between two runs of the lifecycle of every repository that has policies or rules; 0: only when asked',
    }),
    'gc.min_age': key.duration({
      default: '25h',
      meaning: 'Objects younger than this stay; at least 25h, as an address handed out can be linked for 24h',
    }),
    'gc.unsafe_min_age': key.bool({ default: false, meaning: 'Accept a gc.min_age below 25h; for tests, it can lose data' }),
    'gc.parallelism': key.int({ default: 32, min: 1, max: 1000, meaning: 'Deletions at a time' }),
    'gc.rate_limit': key.int({ default: 0, min: 0, meaning: 'Deletions per second; 0: no limit' }),
    'gc.max_garbage_percent': key.int({
      default: 90,
      min: 1,
      max: 100,
      meaning: 'A run over more than 1,000 objects that finds a greater share of garbage stops unless it is forced',
    }),
    'gc.quarantine_days': key.int({ default: 0, min: 0, max: 3650, meaning: 'Days that collected objects can be restored; 0: none' }),
    'gc.metadata_min_age': key.duration({
      default: '168h',
      meaning: 'Metadata files younger than this stay though nothing names them; longer than any import or commit takes',
    }),
    'gc.metadata_keep': key.duration({
      default: '168h',
      meaning: 'Metadata files that nothing names are set aside for so long before they are removed; reads still find them',
    }),
    'gc.upload_expiry': key.duration({
      default: '168h',
      meaning: 'Multipart uploads without a record of their own and without a new part for so long are ended; 0: never',
    }),
    'gc.report_expiry': key.duration({
      default: '8760h',
      meaning: 'Reports and records of runs, and what was prepared for other collectors, go after this; 0: never',
    }),
    'gc.cache_dir': key.path({ default: '~/srv/gc', meaning: 'Folder of address lists that later runs use again' }),
  },
});

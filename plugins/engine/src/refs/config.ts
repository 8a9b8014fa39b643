import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'engine',
  keys: {
    'graveler.max_batch_delay': key.timer({
      default: '3ms',
      meaning: 'Longest wait of a reference read for others of the same key; 0 reads at once',
    }),
    'graveler.background.rate_limit': key.int({
      default: 0,
      min: 0,
      meaning: 'Key-value requests per second of background work; 0 is unlimited',
    }),
    'graveler.reposiory_cache.size': key.int({
      default: 1000,
      min: 0,
      aliases: ['graveler.repository_cache.size'],
      meaning: 'Repositories kept in memory; 0 keeps none',
    }),
    'graveler.reposiory_cache.ttl': key.duration({
      default: '5s',
      aliases: ['graveler.repository_cache.ttl', 'graveler.repository_cache.expiry', 'graveler.reposiory_cache.expiry'],
      meaning: 'How long; to be the same on all servers of a database, since a move of storage waits for that long',
    }),
    'graveler.reposiory_cache.jitter': key.duration({
      default: '2s',
      aliases: ['graveler.repository_cache.jitter'],
      meaning: 'Random time added to it',
    }),
    'branches.undelete_days': key.int({
      default: 7,
      min: 0,
      max: 3650,
      meaning: 'Days that deleted branches can be restored, and heads before a reset are kept from garbage collection; 0 keeps none',
    }),
    'branches.compact_after': key.int({
      default: 5000,
      min: 0,
      meaning:
        'Uncommitted entries that one read of a branch may step over before the branch is compacted in the background, so that later reads need not; 0 leaves it to the API',
    }),
    'graveler.commit_cache.size': key.int({ default: 50_000, min: 0, meaning: 'Commits kept in memory; 0 keeps none' }),
    'graveler.commit_cache.ttl': key.duration({ default: '10m', aliases: ['graveler.commit_cache.expiry'], meaning: 'How long' }),
    'graveler.commit_cache.jitter': key.duration({ default: '2s', meaning: 'Random time added to it' }),
  },
});

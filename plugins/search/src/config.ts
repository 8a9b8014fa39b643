import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'search',
  keys: {
    'search.repositories': key.map({
      default: {},
      meaning:
        'Branches whose objects are indexed, in addition to those switched on by the API: repository=patterns, patterns separated by spaces',
    }),
    'search.period': key.timer({
      default: '60s',
      min: 1000,
      meaning: 'Time between two checks for commits that other servers made; those of this server are indexed at once; at least 1s',
    }),
    'search.cache_size_bytes': key.int({
      default: 67_108_864,
      min: 1_048_576,
      meaning: 'Bytes of unpacked parts of indexes that stay in memory',
    }),
    'search.threads': key.int({ default: 2, min: 1, max: 64, meaning: 'Threads that build indexes' }),
  },
});

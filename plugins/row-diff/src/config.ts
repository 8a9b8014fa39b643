import { tmpdir } from 'node:os';
import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'row-diff',
  keys: {
    'row_diff.max_object_bytes': key.int({ default: 4_294_967_296, min: 1, meaning: 'Largest object that is compared row by row' }),
    'row_diff.memory_bytes': key.int({
      default: 1_073_741_824,
      min: 67_108_864,
      meaning: 'Memory of one comparison; it is ended when it needs more',
    }),
    'row_diff.concurrency': key.int({ default: 2, min: 1, max: 64, meaning: 'Comparisons at a time; others wait' }),
    'row_diff.timeout': key.timer({ default: '10m', meaning: 'Time after which a comparison is ended' }),
    'row_diff.dir': key.path({ default: tmpdir(), meaning: 'Folder of the copies that are compared, and of the result until it is sent' }),
  },
});

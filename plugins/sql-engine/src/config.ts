import { tmpdir } from 'node:os';
import { defineConfig, key } from '@srv/kernel';

export default defineConfig({
  plugin: 'sql-engine',
  keys: {
    'sql_engine.installed_in': key.path({
      meaning: 'Folder in which @duckdb/node-api was installed (it has node_modules); default: where srv is installed',
    }),
    'sql_engine.dir': key.path({ default: tmpdir(), meaning: 'Folder of the files of queries: what they read, spill and return' }),
    'sql_engine.disk_bytes': key.int({
      default: 8_589_934_592,
      min: 1_048_576,
      meaning: 'Bytes that the files of one query have at most',
    }),
    'sql_engine.cache_bytes': key.int({
      default: 1_073_741_824,
      min: 0,
      meaning: 'Bytes of system tables of commits that are kept for later queries, in the same folder',
    }),
    'sql_engine.memory_bytes': key.int({
      default: 1_073_741_824,
      min: 67_108_864,
      meaning: 'Memory of one query; it spills to disk before, and is ended when it needs more',
    }),
    'sql_engine.threads': key.int({ default: 2, min: 1, max: 64, meaning: 'Threads of one query' }),
    'sql_engine.concurrency': key.int({ default: 2, min: 1, max: 64, meaning: 'Queries at a time; a few more wait, others are refused' }),
    'sql_engine.timeout': key.timer({ default: '1m', meaning: 'Time after which a query is ended' }),
    'sql_engine.max_rows': key.int({ default: 1_000_000, min: 1, meaning: 'Rows that a query returns at most' }),
  },
});

import { blockRows } from './storage-block.js';
import { kvRows } from './storage-kv.js';
import type { Benchmark } from './benchmark.js';

export default {
  name: 'storage',
  description: 'The drivers of shared stores against their client libraries alone, in the same run on the same server',
  run: async ({ smoke }) => [...(await kvRows(smoke)), ...(await blockRows(smoke))],
} satisfies Benchmark;

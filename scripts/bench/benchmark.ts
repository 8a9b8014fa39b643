/** What a benchmark is: also for those that lie with their feature, in `plugins/<name>/test/bench.ts`. */
export * from '@srv/test-servers/benchmark';

/** The conformance suites of stores. */
export { testBlockStore } from './block-store.js';
export { testKvStore } from './kv-store.js';
export type { BlockSuiteOptions } from './block-case.js';
export type { OpenBlockStore } from './block-store.js';
export type { KvSuiteOptions, OpenKvStore } from './kv-store.js';

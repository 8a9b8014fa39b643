/** The conformance suite of block stores. */
export { testBlockStore } from './block-store.js';
export type { BlockSuiteOptions } from './block-case.js';
export type { OpenBlockStore } from './block-store.js';

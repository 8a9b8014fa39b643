/** The contract of metrics, and meters that several plugins use. */
export * from './connections.js';
export * from './contract.js';
export * from './operations.js';

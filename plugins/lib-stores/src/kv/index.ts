/** A key-value store from what is special about its backend, and records in any of them. */
export { backOffMs } from '../async/back-off.js';
export { orAborted } from '../async/or-aborted.js';
export { measureConnections } from '../measure-connections.js';
export { Batcher } from './batcher.js';
export { createKvStore } from './create-kv-store.js';
export { defineKvStore } from './define-kv-store.js';
export { expectedBytes, foreignPredicate } from './driver.js';
export { removeBelow } from './remove-below.js';
export type { BatcherOptions } from './batcher.js';
export type { KvBackend } from './define-kv-store.js';
export type { DriverScan, KvDriver } from './driver.js';

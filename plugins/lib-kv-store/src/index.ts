/** A key-value store from what is special about its backend. */
export { defineKvStore } from './define-kv-store.js';
export type { KvBackend } from './define-kv-store.js';

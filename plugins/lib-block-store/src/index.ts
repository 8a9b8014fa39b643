/** What block store drivers share: checks and small formats that none should write again. */
export * from './address.js';
export * from './attachment.js';
export type * from './block-backend.js';
export * from './blocks.js';
export * from './body.js';
export * from './cancel.js';
export * from './contract.js';
export * from './define-block-store.js';
export * from './etag.js';
export * from './in-parallel.js';
export * from './location.js';
export * from './parts.js';
export * from './range.js';
export * from './ready-stream.js';
export * from './remove-each.js';
export * from './storage-roots.js';
export * from './store-pattern.js';
export * from './keyed-lock.js';

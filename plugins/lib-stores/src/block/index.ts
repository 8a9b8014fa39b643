/** What block store drivers share: checks and small formats that none should write again. */

export * from '../async/back-off.js';
export * from '../async/in-parallel.js';
export * from '../async/keyed-lock.js';
export * from '../async/or-aborted.js';
export * from '../measure-connections.js';
export * from './address.js';
export * from './attachment.js';
export * from './blocks.js';
export * from './bodies.js';
export * from './body.js';
export * from './cancel.js';
export * from './contract.js';
export * from './create-block-store.js';
export * from './define-block-store.js';
export * from './driver.js';
export * from './etag.js';
export * from './location.js';
export * from './part-uploads.js';
export * from './parts.js';
export * from './range.js';
export * from './remove-each.js';
export * from './storage-classes.js';
export * from './storage-info.js';
export * from './storage-roots.js';
export * from './store-pattern.js';
export * from './stream-length.js';
export type * from './block-backend.js';

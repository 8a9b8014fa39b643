/** What a collector needs to know of operations in progress, and they of it. */

export { announcedBatch, isCollected, leaseKey, leaseWritten, readLease, signOf, usualWait } from './collection-lease.js';
export { pin, pinsOf, writePins } from './stored-pins.js';
export type { CollectionWait, LeaseState } from './collection-lease.js';
export type { StoredPin } from './stored-pins.js';

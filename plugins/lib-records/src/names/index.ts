/** Names, sortable ids, partitions and pages. */
export * from './names.js';
export * from './paging.js';
export * from './partitions.js';
export * from './xid.js';

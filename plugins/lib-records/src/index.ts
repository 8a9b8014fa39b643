/** Records and what they are made of: protobuf messages, names, ids. */

export * from './byte-order.js';
export * from './daily-cleaner.js';
export * from './failure-text.js';
export * from './names/index.js';
export * from './partitions-without.js';
export * from './persistently.js';
export * from './protobuf/index.js';
export * from './read-only.js';
export * from './records.js';
export * from './records-below.js';
export * from './retries.js';
export * from './signs-of-life.js';
export * from './still-watch.js';
export * from './work-through.js';

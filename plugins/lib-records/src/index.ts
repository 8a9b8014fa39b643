/** Records and what they are made of: protobuf messages, names, ids. */
export * from './protobuf/index.js';
export * from './names/index.js';
export * from './records.js';

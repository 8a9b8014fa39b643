/** Protobuf messages, field by field. */
export * from './proto.js';
export * from './varint.js';

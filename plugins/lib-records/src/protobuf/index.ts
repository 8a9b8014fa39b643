/** Protobuf messages, field by field. */
export * from './proto.js';
export * from './unknown-fields.js';
export * from './varint.js';

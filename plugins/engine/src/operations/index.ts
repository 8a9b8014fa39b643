/** The operations of the engine, and the types of what they carry. */
export { default } from './table.js';
export type { EngineOperations } from './table.js';
export type * from './wire.js';

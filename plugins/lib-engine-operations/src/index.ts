/** The operations of the engine, and the types of what they carry. */
export { default } from './operations/index.js';
export type { EngineOperations } from './operations/index.js';
export type * from './facts.js';
export type * from './wire.js';

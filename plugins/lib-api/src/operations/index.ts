/** Everything a plugin needs to describe operations of the HTTP API. */
export * from './commit.js';
export * from './header-text.js';
export * from './operation.js';
export * from './permissions.js';
export * from './reply.js';
export * from './schema/field.js';
export * from './schema/names.js';
export * from './schema/paging.js';
export * from './schema/path-names.js';
export { quickCheckOf, unsure } from './schema/quick-check.js';
export * from './schema/shapes.js';
export * from './session.js';
export * from './table.js';
export * from './time.js';
export * from './user.js';
export type * from './context.js';
export type { QuickCheck } from './schema/quick-check.js';
export type * from './server-facts.js';

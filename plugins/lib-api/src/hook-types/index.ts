/** What hook types are written with. The HTTP client is a module of its own: it is loaded when a hook runs. */

export * from './json.js';
export * from './properties.js';
export * from './signature.js';
export type * from './hook-type.js';

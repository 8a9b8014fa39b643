export * from './address.js';
export * from './config.js';
export * from './duration.js';
export * as key from './keys.js';
export * from './nearest.js';
export * from './network.js';
export * from './types.js';

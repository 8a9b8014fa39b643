/** The wire of authorization services. */
export * from './service-token.js';
export * from './wire.js';

/** What the faces share about HTTP requests and their answers. */

export * from './body-overrun.js';
export * from './client-name.js';
export * from './conditions.js';
export * from './end-of-tick.js';
export * from './exchange.js';
export * from './header-value.js';
export * from './held-bodies.js';
export * from './http-date.js';
export * from './http-response.js';
export * from './read-text.js';
export * from './request-scope.js';
export * from './source-ip.js';
export * from './traffic.js';
export type * from './gateway-request.js';

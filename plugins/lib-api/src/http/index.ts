/** What the faces share about HTTP requests and their answers. */

export * from './authorization.js';
export * from './body-overrun.js';
export * from './byte-range.js';
export * from './client-name.js';
export * from './conditions.js';
export * from './end-of-tick.js';
export * from './escape-xml.js';
export * from './exchange.js';
export * from './face-request.js';
export * from './header-value.js';
export * from './held-bodies.js';
export * from './http-date.js';
export * from './http-response.js';
export * from './operation-call.js';
export * from './operation-meters.js';
export * from './read-body.js';
export * from './read-text.js';
export * from './request-scope.js';
export * from './source-ip.js';
export * from './traffic.js';
export * from './whole-body.js';
export type * from './gateway-request.js';

/** The client of the API: one method per operation, typed from the table. */

export { createClient } from './client.js';
export { ApiError } from './error.js';
export { buildRequest, parseEndpoint } from './request.js';
export { RetryPolicy } from './retry.js';
export { linesOf, shapesOf } from './wire-shape.js';
export type { CallInput, CallResult, Download, Upload } from '../operations/operation.js';
export type { OperationGroup, Operations } from '../operations/table.js';
export type { ApiResponse, CallOptions, Client, ClientOptions, OperationId } from './client.js';
export type { RetryOptions } from './retry.js';
export type { WireLine, WireShape, WireShapes } from './wire-shape.js';

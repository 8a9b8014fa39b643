/** The client of the API: one method per operation, typed from the table. */
export { ApiError } from './error.js';
export { createClient } from './client.js';
export type { Answer, CallOptions, Client, ClientOptions } from './client.js';
export type { RetryOptions } from './retry.js';
export type { CallInput, CallResult, Download, Upload } from '../operation.js';
export type { OperationId, Operations } from '../operations/index.js';
export type * from '../schema/wire.js';

/** The table of operations and the shapes that travel, as types. The client is `@srv/api/client`. */
export type { AnyOperation, CallInput, CallResult, Download, Upload } from './operation.js';
export type { OperationId, Operations } from './operations/index.js';
export type * from './schema/wire.js';

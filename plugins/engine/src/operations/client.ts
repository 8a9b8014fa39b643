/** The client of the API, with the operations of the engine known from the start. */
import { createClient as createTypedClient } from '@srv/lib-api/client';
import { engineShapes } from './shapes.js';
import type { Client, ClientOptions as TypedClientOptions, WireShapes } from '@srv/lib-api/client';

export { ApiError } from '@srv/lib-api/client';
export { engineShapes } from './shapes.js';
export type { Commit, WireUser } from '@srv/lib-api';
export type {
  ApiResponse,
  CallInput,
  CallOptions,
  CallResult,
  Client,
  Download,
  OperationId,
  Operations,
  RetryOptions,
  Upload,
} from '@srv/lib-api/client';
export type { EngineOperations } from './table.js';
export type * from './wire.js';

export interface ClientOptions extends Omit<TypedClientOptions, 'operations'> {
  /** Operations of plugins that are known from the start, too. */
  readonly operations?: WireShapes;
}

/**
 * @throws SrvError `invalid` for an endpoint that is not a URL. Methods throw {@link ApiError} for a refusal, and SrvError
 * `unavailable` when the server cannot be reached or `cancelled` when the signal fires.
 * @example
 * const client = createClient({ endpointUrl: 'http://127.0.0.1:8000', accessKeyId, secretAccessKey });
 * const { results } = await client.listBranches({ repository: 'lakes' });
 */
export function createClient({ operations = {}, ...options }: ClientOptions): Client {
  return createTypedClient({ ...options, operations: { ...engineShapes, ...operations } });
}

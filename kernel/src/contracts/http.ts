import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * The server that `routes` taps add routes to. Its members are declared by the plugin that owns the listener, by
 * interface merging, so that the kernel knows no HTTP framework.
 */
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface HttpServer {}

/** The table that `operations` taps add to. Its members are declared by `@srv/lib-operations`, by interface merging. */
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface OperationTable {}

/** A request before any routing or path normalisation. */
export interface RawRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

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

/** The commands of `cli` that `commands` taps add to. Its members are declared by `@srv/lib-commands`, by interface merging. */
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface CommandRegistry {}

/** The commands of `srv` that `serverCommands` taps add to; `@srv/lib-commands` declares its members, too. */
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface ServerCommandRegistry {}

/** A request before any routing or path normalisation. */
export interface RawRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

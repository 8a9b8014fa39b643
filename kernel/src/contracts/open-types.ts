/**
 * What hooks hand over and the kernel does not know. The library or plugin of each domain declares the members, by interface
 * merging: code that taps such a hook imports it, if only with `import type {} from …`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Named byte streams: `@srv/lib-stores/block`. */
export interface BlockStore {
  /** The `blockstore.type` that opened it. */
  readonly type: string;
  close(): Promise<void>;
}

/** A change to a branch that is about to happen: `@srv/engine/refs`. */
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface BranchChange {}

/** Content that an operation is about to refer to: `@srv/engine/refs`. */
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface PinRequest {}

/** A repository that is being deleted: `@srv/engine/refs`. */
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface DeletedRepository {}

/** A way to sign in with a name and a password: `@srv/lib-auth`. */
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface SignInProvider {}

/** A route that is answered without the framework: `@srv/http/contract`. */
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface DirectHttpRoute {}

/** The server that `routes` taps add routes to: `@srv/http/contract`. */
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface HttpServer {}

/** A request before any routing or path normalisation. */
export interface RawRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The table that `operations` taps add to: `@srv/lib-api`. */
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface OperationTable {}

/** One S3 operation about to run: `@srv/lib-api/http`. */
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface GatewayRequest {}

/** The commands of `cli`: `@srv/lib-commands`. */
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface CommandRegistry {}

/** The commands of `srv`: `@srv/lib-commands`. */
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface ServerCommandRegistry {}

/** A type of hook for action files: `@srv/lib-api/hook-types`. */
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface ActionHook {}

/** A run of garbage collection, and a batch of it: `@srv/gc/contract`. */
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface GcPlan {}
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface GcBatch {}
// biome-ignore lint/suspicious/noEmptyInterface: completed by declaration merging
export interface GcBatchResult {}

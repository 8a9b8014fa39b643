// biome-ignore-all lint/suspicious/noEmptyInterface: completed by declaration merging
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
export interface BranchChange {}

/** A repository that is being deleted: `@srv/engine/refs`. */
export interface DeletedRepository {}

/** A way to sign in with a name and a password: `@srv/lib-auth`. */
export interface SignInProvider {}

/** A route that is answered without the framework: `@srv/http/contract`. */
export interface DirectHttpRoute {}

/** The server that `routes` taps add routes to: `@srv/http/contract`. */
export interface HttpServer {}

/** A request before any routing or path normalisation. */
export interface RawRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** The table that `operations` taps add to: `@srv/lib-api`. */
export interface OperationTable {}

/** One S3 operation about to run: `@srv/lib-api/http`. */
export interface GatewayRequest {}

/** The commands of `cli`: `@srv/lib-commands`. */
export interface CommandRegistry {}

/** The commands of `srv`: `@srv/lib-commands`. */
export interface ServerCommandRegistry {}

/** A type of hook for action files: `@srv/lib-api/hook-types`. */
export interface ActionHook {}

/** A run of garbage collection, and a batch of it: `@srv/gc/contract`. */
export interface GcPlan {}
export interface GcBatch {}
export interface GcBatchResult {}

/** What the listener offers. Routes are added in the kernel's `routes` hook, to a hapi server. */
import type { Server } from '@hapi/hapi';

export interface ListenerAddress {
  readonly host: string;
  readonly port: number;
  /** For people and clients on this machine, without trailing slash: a wildcard host appears as `127.0.0.1`. */
  readonly url: string;
}

/** An error as an HTTP answer shows it. */
export interface ShownError {
  readonly status: number;
  readonly message: string;
}

export interface HttpService {
  /** @throws SrvError `internal` before the listener is open. */
  address(): ListenerAddress;
  /** The one translation of errors to statuses; never tells internals. */
  describe(error: unknown): ShownError;
  /** Shown by `/_health` from now on. */
  announceInstallation(id: string): void;
}

declare module '@srv/kernel' {
  interface Services {
    http: HttpService;
  }
  interface HttpServer extends Server {}
}

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    /** Fresh for every request; returned as `X-Request-ID`. */
    requestId: string;
    /** Name of the authenticated user, for the audit line. */
    user?: string;
  }
  interface PluginSpecificConfiguration {
    /** Facts about a route for audit lines and metrics. */
    http?: {
      /** Name of the operation, for the audit line and metrics. */
      readonly operationId?: string;
      /** What HEAD means on the route of a GET, when that is an operation of its own. */
      readonly headOperationId?: string;
      /** False: no audit line. Default: true. */
      readonly audit?: boolean;
    };
  }
}

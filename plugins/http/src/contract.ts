/** The service of the listener. Add routes in the kernel's `routes` hook, to a hapi server. */
import type { Server, ServerRoute } from '@hapi/hapi';
import type { RawRequest } from '@srv/kernel';
import type { Exchange, HttpResponse } from '@srv/lib-api/http';

export type { Exchange, HttpResponse } from '@srv/lib-api/http';

export interface ListenerAddress {
  readonly host: string;
  readonly port: number;
  /** For people and clients on this machine, without trailing slash: a wildcard host appears as `127.0.0.1`. */
  readonly url: string;
  /** With TLS. */
  readonly certificate?: ShownCertificate | undefined;
}

/** What clients are shown. */
export interface ShownCertificate {
  readonly file: string;
  /** That of the server, and those after it in the file. */
  readonly pem: string;
}

/** An error as an HTTP response shows it. */
export interface ShownError {
  readonly status: number;
  readonly message: string;
}

/** The content of a request. */
export interface RequestParts {
  /** Of the path, decoded. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, unknown>>;
}

/**
 * A route that returns data: plain requests for it are handled without hapi. Extensions of hapi do not see it; logs, metrics and
 * `rawRequest` do.
 */
export interface DirectRoute {
  readonly method: string;
  /** From the root; `{name}` matches one segment. */
  readonly path: string;
  readonly operationId: string;
  /** `json`: `handle` calls `readBody`; `stream`: `handle` reads the request. Default: `none`. */
  readonly body?: 'none' | 'json' | 'stream';
  /** Bytes of a JSON body. Default: 2 MiB. */
  readonly maxBody?: number;
  /** Its callers need not be known, so that their bodies are held apart from those of others. */
  readonly isPublic?: boolean;
  /**
   * The same route for hapi, which gets all other requests: added when the first of them comes, since most servers never need it.
   * Routes that give the same function share one. Absent: hapi knows the route.
   */
  readonly framework?: (() => ServerRoute) | undefined;
  /**
   * Errors become responses as usual.
   * @param readBody reads and parses the JSON body; `null` without bytes. Call it when the caller is known: parsing costs memory.
   */
  handle(exchange: Exchange, parts: RequestParts, readBody: () => Promise<unknown>): Promise<HttpResponse>;
}

/** The exchange of a request that a plugin has taken. */
export interface RawExchange extends Exchange {
  /** The operation is known: for the audit line and metrics. @param operationId one of few. */
  name(operationId: string): void;
}

/** How a plugin answers the requests that it takes by the hook `rawRequest`. */
export interface RawFace {
  /** Name of the face in audit lines, such as `webdav`. Default: that of the HTTP API. */
  readonly service?: string;
  handle(exchange: RawExchange): Promise<HttpResponse>;
  /** The answer to what `handle` threw; default: that of the HTTP API. Faults of the server are logged. */
  failed?(error: unknown, shown: ShownError): HttpResponse;
  /** Whether a protocol wants a status from 500 on for what the client did wrong: then it is not logged as a fault. */
  isRefusal?(error: unknown): boolean;
}

export interface HttpService {
  /** Answers a request that a tap of `rawRequest` takes; with the log line and the metrics that all requests have. */
  serve(raw: RawRequest, face: RawFace): Promise<void>;
  /** @throws SrvError `internal` before the listener is open. */
  address(): ListenerAddress;
  /** The only translation of errors to statuses; never reveals internals. */
  describe(error: unknown): ShownError;
}

declare module '@srv/kernel' {
  interface Services {
    http: HttpService;
  }
  interface HttpServer extends Server {}
  interface DirectHttpRoute extends DirectRoute {}
}

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    exchange: Exchange;
  }
  interface PluginSpecificConfiguration {
    /** Facts about a route for audit lines and metrics. */
    http?: {
      /** Name of the operation, for the audit line and metrics. */
      readonly operationId?: string;
      /** Operation of HEAD on the route of a GET, if it is a separate one. */
      readonly headOperationId?: string | undefined;
      /** False: no audit line. Default: true. */
      readonly audit?: boolean;
      /** False: the query is not read, and may have any escapes. Default: true. */
      readonly readsQuery?: boolean;
    };
  }
}

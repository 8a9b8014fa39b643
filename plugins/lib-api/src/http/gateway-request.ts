/** One S3 operation about to run, decoded: the caller, the target, the body, and how to answer. */
import type { Readable } from 'node:stream';
import type { Decision, Logger, Permission, User } from '@srv/kernel';

export type { GatewayRequest } from '@srv/kernel';

export type XmlValue = string | number | boolean | XmlElement | readonly XmlElement[];

/** An element of an XML answer; content is text, a number, or elements. */
export interface XmlElement {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly content: XmlValue;
}

type Headers = Readonly<Record<string, string>>;

/** Sends the answer; one of its methods is called, once. */
export interface GatewayResponse {
  empty(status: number, headers?: Headers): Promise<void>;
  xml(root: XmlElement, options?: { readonly status?: number; readonly headers?: Headers }): Promise<void>;
}

declare module '@srv/kernel' {
  /** What a tap of `gatewayOperation` gets. It has answered when it returns `true`. */
  interface GatewayRequest {
    /** S3 operation name, such as `GetObject`. */
    readonly operation: string;
    readonly method: string;
    readonly query: { has(name: string): boolean; get(name: string): string | undefined };
    /** By lower-case name. */
    readonly headers: { get(name: string): string | undefined };
    readonly user: User;
    /** Absent in requests about the service. */
    readonly repository?: { readonly id: string; readonly storageNamespace: string; readonly readOnly: boolean };
    /** Present in requests about an object. */
    readonly ref?: string;
    readonly path?: string;
    readonly log: Logger;
    /** Aborted when the client leaves. */
    readonly signal: AbortSignal;
    /** Asks about a permission beyond the one the operation demands. */
    decide(permission: Permission): Promise<Decision>;
    /**
     * The body, verified against signature and checksums while it is read. Reading it lets a waiting client send it, so
     * reject the request before.
     */
    payload(): { readonly stream: Readable };
    readonly answer: GatewayResponse;
  }
}

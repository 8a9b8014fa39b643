/** Who is asking, and what they may do. */

export interface User {
  readonly username: string;
  readonly email?: string;
  readonly friendlyName?: string;
  readonly createdAt: Date;
}

/** What a face found in a request. Exactly one is tried; the first present credential decides. */
export type Credentials =
  | { readonly kind: 'basic'; readonly accessKeyId: string; readonly secretAccessKey: string }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string | string[] | undefined>> };

/** Required permissions as a tree: a leaf, all of, or any of. */
export type Permission =
  | { readonly action: string; readonly resource: string }
  | { readonly all: readonly Permission[] }
  | { readonly any: readonly Permission[] };

export interface AuthorizationRequest {
  readonly user: User;
  readonly permission: Permission;
  /** Peer address, for conditions. */
  readonly sourceIp?: string;
}

export interface Decision {
  readonly allowed: boolean;
  /** For the caller, such as `insufficient permissions: not allowed to fs:ReadObject`. */
  readonly reason?: string;
}

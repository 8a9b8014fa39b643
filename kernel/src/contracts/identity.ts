/** Who is asking, and what they may do: the one place every face asks. */

export interface User {
  readonly username: string;
  readonly email?: string | undefined;
  readonly friendlyName?: string | undefined;
  /** Name at the identity provider; absent or empty without one. */
  readonly externalId?: string | undefined;
  /** Deactivated by the identity provider: nothing authenticates the user. */
  readonly inactive?: true;
  readonly createdAt: Date;
  /** Of the caller of a request: what another session that the caller begins has to end with. */
  readonly session?: SessionLimits;
  /** Of temporary credentials: decides what they may do, in place of the policies of the user. */
  readonly grant?: (permission: Permission) => Decision;
}

/** When a session ends at the latest. */
export interface SessionLimits {
  /** It ends with this access key. */
  readonly accessKeyId?: string | undefined;
  /** Absent: it can be renewed without end. */
  readonly endsAt?: Date | undefined;
}

/** An access key and its secret. */
export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** What a face found in a request. Exactly one is tried; the first present credential decides. */
export type Credentials =
  /** `from`: address of the caller, to slow down who guesses. */
  | ({ readonly kind: 'basic'; readonly from?: string } & AccessKey)
  | { readonly kind: 'token'; readonly token: string }
  /** A signed request: `check` says whether the signature was made with this secret. Temporary keys come with a session token. */
  | {
      readonly kind: 'signature';
      readonly accessKeyId: string;
      readonly sessionToken?: string | undefined;
      check(secretAccessKey: string): boolean;
    }
  | { readonly kind: 'headers'; readonly headers: Readonly<Record<string, string | string[] | undefined>> };

/** Every kind there is. */
export const credentialKinds = ['basic', 'token', 'signature', 'headers'] as const satisfies readonly Credentials['kind'][];

/** Required permissions as a tree: a leaf, all of, or any of. */
export type Permission =
  /**
   * With `everyBelow`: on every resource whose name begins with `resource`, so that a denial of any of them counts.
   * With `anyBelow`: on any of them, so that only a denial of all counts.
   */
  | { readonly action: string; readonly resource: string; readonly everyBelow?: true; readonly anyBelow?: true }
  | { readonly all: readonly Permission[] }
  | { readonly any: readonly Permission[] };

export interface AuthorizationRequest {
  readonly user: User;
  readonly permission: Permission;
  /** Peer address, for conditions. */
  readonly sourceIp?: string | undefined;
}

export interface Decision {
  readonly allowed: boolean;
  /** For the caller, such as `insufficient permissions: not allowed to fs:ReadObject`. */
  readonly reason?: string;
}

export interface LoginToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** How browsers stay logged in. */
export interface SessionSettings {
  /** Empty: the host that sets the cookie. */
  readonly cookieDomain: string;
  readonly logoutRedirectUrl: string;
}

/**
 * The identity service. A plugin offers one by tapping `openIdentity` under a value of `auth.ui_config.rbac`; every face
 * asks it about basic credentials, tokens, signatures and permissions. Members with a question mark may be left out.
 */
export interface Identity {
  /** What clients learn about how users are managed. */
  readonly rbac: 'none' | 'simplified' | 'external' | 'internal';
  /** @returns `undefined` when the credentials are unknown or wrong. */
  authenticate(credentials: Credentials): Promise<User | undefined>;
  authorize(request: AuthorizationRequest): Promise<Decision>;
  /**
   * Exchanges an access key for a token that {@link authenticate} accepts. Absent: login is not offered.
   * @param from address of the caller, to slow down who guesses.
   * @param duration milliseconds, if the session is to end sooner than usual; renewals of the token do not prolong it.
   * @throws SrvError `unauthenticated`; `too_many_tries` for a caller who has failed too often.
   */
  logIn?(key: AccessKey, from?: string, duration?: number): Promise<LoginToken>;
  /**
   * For lists that show what a user may see: a predicate over resource names.
   * @throws SrvError `denied` when the user may do `action` on nothing at all.
   */
  visibility(user: User, action: string): Promise<(resource: string) => boolean>;
  /** Absent: browsers cannot stay logged in. */
  readonly session?: SessionSettings | undefined;
  /** Names this installation in `/_health` and statistics. */
  readonly installationId?: string | undefined;
  close?(): Promise<void>;
}

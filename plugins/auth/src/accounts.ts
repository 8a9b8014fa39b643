/** What plugins that authenticate users need of the directory, inside the server: passwords, names elsewhere, one-time tokens. */
import type { AccessKey, LoginToken, User } from '@srv/kernel';
import type { AuthPage, AuthPageRequest } from './pages.js';

export interface Account extends User {
  /** Who vouched for the user when it was created, such as `internal`. */
  readonly source: string;
  /** Name at that service; empty without one. */
  readonly externalId: string;
  /** A bcrypt hash; empty without a password. */
  readonly encryptedPassword: string;
}

export interface NewAccount extends NewUser {
  readonly externalId?: string | undefined;
  /** A bcrypt hash. */
  readonly encryptedPassword?: string | undefined;
}

export interface ExternalPrincipal {
  readonly id: string;
  readonly username: string;
}

/** Provided by a plugin with a login of its own in the browser: where its pages are. */
export interface LoginLinks {
  readonly loginUrl: string;
  readonly logoutUrl: string;
}

/** Logins from a terminal, which a person allows in a browser. */
export interface TerminalLogins {
  /** @returns a secret of the program, and what the page gets. */
  start(): { readonly mailbox: string; readonly request: string };
  /**
   * The login ends with the session of `user`, if that is limited.
   * @throws SrvError `invalid` for a request that is forged or has expired, `not_unique` when it was allowed before.
   */
  release(request: string, user: User): Promise<void>;
  /** A token, once; `undefined` until the login is allowed, and once what it ends with has ended. */
  collect(mailbox: string): Promise<LoginToken | undefined>;
}

/** Provided by a plugin that reads claims of identity providers. */
export interface ClaimsService {
  /**
   * Whether claims that an authentication service has verified say what `auth.cookie_auth_verification` demands.
   * @returns the name of the user elsewhere, `sub`; `undefined`: refused.
   */
  subjectOf(claims: Readonly<Record<string, unknown>>): string | undefined;
}

/** Provided by a plugin that can send invitations; absent: users cannot be invited. */
export interface InvitationService {
  /** Whether users who forgot their password can get a new one by mail. */
  readonly resetsPasswords: boolean;
  /**
   * Creates a user whose name is the address, in lower case: never another text than the caller was allowed to create.
   * @param address without a name and brackets around it. @throws SrvError `invalid` for anything else.
   */
  invite(address: string): Promise<User>;
}

interface ReadPurposeToken {
  /** Whom the token is about. */
  readonly subject: string;
  /** Uses the token up. */
  readonly id: string;
  readonly expiresAt: Date;
  /** Whether the token was made for this state; one that was made for none is of any. */
  isOf(state: string): boolean;
}

/** Provided by the plugin that provides `auth`, for the same users. Reads are not cached unless a method says so. */
export interface AccountService {
  findAccount(username: string): Promise<Account | undefined>;
  /** As requests see the user: as fresh as `auth.cache.ttl` says. */
  knownUser(username: string): Promise<User | undefined>;
  findByEmail(address: string): Promise<Account | undefined>;
  findByExternalId(externalId: string): Promise<Account | undefined>;
  /** @throws SrvError `not_unique` when the name, the address or the external ID is taken. */
  createAccount(account: NewAccount): Promise<User>;
  setFriendlyName(username: string, friendlyName: string): Promise<void>;
  /** Ends the user's sessions, too. @param encryptedPassword a bcrypt hash. */
  setPassword(username: string, encryptedPassword: string): Promise<void>;

  /** The pair, with its secret. */
  revealKey(accessKeyId: string): Promise<(AccessKey & { readonly username: string }) | undefined>;

  /** Uses up a one-time token. False: it was used before. @param id names the token. */
  claimToken(id: string, expiresAt: Date): Promise<boolean>;
  /**
   * @param purpose such as `reset_password`: no token serves another one. @param validity milliseconds.
   * @param state what the token depends on, such as the present password: only a keyed digest of it is in the token.
   */
  issuePurposeToken(purpose: string, subject: string, validity: number, state?: string): string;
  /** What a token says; `undefined` for tokens that are expired, forged or made for another purpose. */
  readPurposeToken(purpose: string, token: string): ReadPurposeToken | undefined;

  /** Whether login pages ask for a name and a password rather than for an access key. */
  asksForNames(): boolean;

  /** @throws SrvError `not_unique` when the principal belongs to a user already. */
  createPrincipal(username: string, id: string): Promise<void>;
  /** @throws SrvError `not_found` when it does not belong to this user. */
  deletePrincipal(username: string, id: string): Promise<void>;
  findPrincipal(id: string): Promise<ExternalPrincipal | undefined>;
  listPrincipals(username: string, page?: AuthPageRequest): Promise<AuthPage<ExternalPrincipal>>;
}

/** What an identity provider changes of a user; absent: it stays as it is. */
export interface AccountChange {
  /** Empty: none. */
  readonly externalId?: string | undefined;
  /** Empty: none. */
  readonly email?: string | undefined;
  /** Empty: none. */
  readonly friendlyName?: string | undefined;
  readonly inactive?: boolean | undefined;
}

/** Provided where users are kept here, for plugins by which identity providers manage them. */
export interface ProvisioningService {
  /**
   * Deactivation ends the sessions and stops the access keys: here at once, at other servers within `auth.cache.ttl`.
   * @throws SrvError `not_found`; `not_unique` when another user has the address or the external ID.
   */
  changeAccount(username: string, change: AccountChange): Promise<void>;
}

export interface NewUser {
  readonly username: string;
  readonly email?: string | undefined;
  readonly friendlyName?: string | undefined;
  /** The identity provider of the user; `internal` when absent. */
  readonly source?: string | undefined;
}

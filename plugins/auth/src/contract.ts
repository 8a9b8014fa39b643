/**
 * Users, groups, policies and credentials, for the HTTP API and other plugins. Authentication and authorization go
 * through the service `identity`.
 */
import type { AccessKey, LoginToken, SessionLimits, User } from '@srv/kernel';
import type { CacheOptions } from '@srv/kernel/cache';
import type { AclPermission, Policy, Statement } from '@srv/lib-auth';
import type {
  AccountService,
  ClaimsService,
  InvitationService,
  LoginLinks,
  NewUser,
  ProvisioningService,
  TerminalLogins,
} from './accounts.js';
import type { AuthPage, AuthPageRequest } from './pages.js';

export type { AccessKey, LoginToken } from '@srv/kernel';
export type { AclPermission, Conditions, Policy, Statement } from '@srv/lib-auth';
export type {
  Account,
  AccountChange,
  AccountService,
  ClaimsService,
  ExternalPrincipal,
  InvitationService,
  LoginLinks,
  NewAccount,
  NewUser,
  ProvisioningService,
  TerminalLogins,
} from './accounts.js';
export type { AuthPage, AuthPageRequest } from './pages.js';

/** `auth.ui_config.rbac`. */
export type AuthMode = 'none' | 'simplified' | 'external' | 'internal';

/** Settings that every identity service shares, known once the configuration is. */
export interface IdentitySettings {
  /** Signs tokens, and seals access keys where they are kept here. Never shown. */
  readonly secretKey: string;
  readonly cache: CacheOptions;
  readonly login: LoginSettings;
}

/** What a mode offers in addition to users and their credentials. */
export type AuthFeature = 'groups' | 'policies' | 'acls';

export interface Group {
  readonly id: string;
  readonly description?: string | undefined;
  readonly createdAt: Date;
}

export interface Credential {
  readonly accessKeyId: string;
  readonly createdAt: Date;
}

export interface CredentialWithSecret extends Credential {
  readonly secretAccessKey: string;
}

/** What the person who set up the installation entered. */
export interface CommunicationPreferences {
  readonly email?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly companyName?: string | undefined;
  readonly featureUpdates?: boolean | undefined;
}

export interface SetupRequest {
  readonly username: string;
  /** Absent: a pair is generated. */
  readonly key?: AccessKey | undefined;
  readonly preferences?: CommunicationPreferences;
}

export interface SetupState {
  readonly initialized: boolean;
  readonly preferencesMissing: boolean;
  /** Why users who log in may do nothing, and what the operator does about it; absent: some user is an administrator. */
  readonly notice?: string;
}

/** `auth.ui_config.*`: texts and links of web pages. Empty: none. */
export interface LoginPage {
  readonly loginUrl: string;
  readonly logoutUrl: string;
  readonly failedMessage: string;
  readonly fallbackUrl: string;
  readonly fallbackLabel: string;
  readonly cookieNames: readonly string[];
}

/** What the login page and the session cookie need to know. */
export interface LoginSettings {
  /** Empty: the host that sets the cookie. */
  readonly cookieDomain: string;
  readonly usePlaceholders: boolean;
  readonly logoutRedirectUrl: string;
  readonly page: LoginPage;
  /** Milliseconds. */
  readonly duration: number;
  /** Milliseconds. */
  readonly maxDuration: number;
}

/**
 * All methods throw SrvError: `not_found` for a missing user, group, policy or credential, `not_unique` with the text
 * `Already exists`, `invalid` for names and statements, `unsupported` for what the mode does not offer.
 */
export interface AuthService {
  readonly mode: AuthMode;
  readonly login: LoginSettings;
  supports(feature: AuthFeature): boolean;
  /** UUID made at the first start. */
  readonly installationId: string;

  setupState(): Promise<SetupState>;
  /** Creates the first administrator. `not_unique` when the installation is set up already, or another request is doing it. */
  setup(request: SetupRequest): Promise<CredentialWithSecret>;
  setPreferences(preferences: CommunicationPreferences): Promise<void>;
  /**
   * Creates another administrator, also before the installation is set up, and does not set it up. `not_unique` when the
   * user exists or the access key is taken.
   */
  createAdministrator(username: string, key?: AccessKey): Promise<CredentialWithSecret>;
  /**
   * Makes an administrator of the user an access key belongs to: for databases whose users were made by another program or
   * in another mode. `not_found` for an unknown key, `invalid` when it belongs to another user.
   */
  promoteOwner(username: string, accessKeyId: string): Promise<void>;

  /** @throws SrvError `unauthenticated` for an unknown key or a wrong secret, without saying which. */
  logIn(key: AccessKey): Promise<LoginToken & { readonly user: User }>;
  /**
   * @param duration milliseconds until the session ends, however often it is renewed; absent: `login.duration` for the first token.
   * No token is valid for longer than `login.maxDuration`.
   * @param limits of the session that begins this one.
   * @throws SrvError `unauthenticated` for a user who does not exist or is deactivated.
   */
  issueToken(username: string, duration?: number, limits?: SessionLimits): Promise<LoginToken>;
  /** A new token for one that is still valid, ending with the same access key and no later than the session; `undefined` for any other text. */
  renewToken(token: string): Promise<LoginToken | undefined>;
  /** Ends every session of the user, here at once and on other servers within `auth.cache.ttl`. Access keys keep working. */
  revokeSessions(username: string): Promise<void>;
  /**
   * For lists that show what a user may see: a predicate over resource names.
   * @throws SrvError `denied` when no policy of the user allows `action` on anything.
   */
  visibility(user: User, action: string): Promise<(resource: string) => boolean>;

  createUser(user: NewUser): Promise<User>;
  getUser(username: string): Promise<User>;
  listUsers(page?: AuthPageRequest): Promise<AuthPage<User>>;
  /** With its credentials, memberships and attachments. */
  deleteUser(username: string): Promise<void>;

  createCredential(username: string, key?: AccessKey): Promise<CredentialWithSecret>;
  getCredential(username: string, accessKeyId: string): Promise<Credential>;
  listCredentials(username: string, page?: AuthPageRequest): Promise<AuthPage<Credential>>;
  deleteCredential(username: string, accessKeyId: string): Promise<void>;

  createGroup(id: string, description?: string): Promise<Group>;
  getGroup(id: string): Promise<Group>;
  listGroups(page?: AuthPageRequest): Promise<AuthPage<Group>>;
  deleteGroup(id: string): Promise<void>;
  addMember(group: string, username: string): Promise<void>;
  removeMember(group: string, username: string): Promise<void>;
  listMembers(group: string, page?: AuthPageRequest): Promise<AuthPage<User>>;
  listUserGroups(username: string, page?: AuthPageRequest): Promise<AuthPage<Group>>;

  /** @param acl for external services, which store group permissions this way. */
  createPolicy(id: string, statement: readonly Statement[], acl?: AclPermission): Promise<Policy>;
  getPolicy(id: string): Promise<Policy>;
  listPolicies(page?: AuthPageRequest): Promise<AuthPage<Policy>>;
  updatePolicy(id: string, statement: readonly Statement[], acl?: AclPermission): Promise<Policy>;
  deletePolicy(id: string): Promise<void>;
  attachToUser(username: string, policy: string): Promise<void>;
  detachFromUser(username: string, policy: string): Promise<void>;
  listUserPolicies(username: string, page?: AuthPageRequest & { effective?: boolean }): Promise<AuthPage<Policy>>;
  attachToGroup(group: string, policy: string): Promise<void>;
  detachFromGroup(group: string, policy: string): Promise<void>;
  listGroupPolicies(group: string, page?: AuthPageRequest): Promise<AuthPage<Policy>>;

  /** Absent: the group has no policy at all. @throws SrvError `not_found` when its policies do not amount to a permission. */
  getGroupAcl(group: string): Promise<AclPermission | undefined>;
  /** @throws SrvError `invalid` for an unknown permission. */
  setGroupAcl(group: string, permission: string): Promise<void>;
}

declare module '@srv/kernel' {
  interface Services {
    auth: AuthService;
    accounts: AccountService;
    identitySettings: IdentitySettings;
    invitations: InvitationService;
    loginLinks: LoginLinks;
    terminalLogins: TerminalLogins;
    provisioning: ProvisioningService;
    claims: ClaimsService;
  }
}

/** From claims to users: found by their name elsewhere, created when they are new. */
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { ExpiringCache } from '@srv/kernel/cache';
import { checkNewName } from '../names.js';
import { PendingGroups } from '../pending-groups.js';
import { claimedGroups, groupsIn, identify } from './claim-rules.js';
import type { KvStore, Logger, User } from '@srv/kernel';
import type { CacheOptions } from '@srv/kernel/cache';
import type { ClaimRules, Claims } from './claim-rules.js';

export interface ClaimedUsersOptions extends ClaimRules {
  /** `source` of users created. */
  readonly source: string;
  readonly persistName: boolean;
}

interface ClaimedAccount {
  readonly username: string;
  readonly source: string;
}

/** What of the service `accounts` is needed. */
interface ClaimedAccounts {
  knownUser(username: string): Promise<User | undefined>;
  findByExternalId(externalId: string): Promise<ClaimedAccount | undefined>;
  createAccount(account: {
    readonly username: string;
    readonly externalId: string;
    readonly source: string;
    readonly friendlyName?: string | undefined;
    readonly email?: string | undefined;
  }): Promise<User>;
  setFriendlyName(username: string, friendlyName: string): Promise<void>;
}

/** What of the service `auth` is needed. */
interface ClaimedGroups {
  supports(feature: 'groups'): boolean;
  addMember(group: string, username: string): Promise<void>;
  removeMember(group: string, username: string): Promise<void>;
  listUserGroups(
    username: string,
    page: { readonly after: string; readonly amount: number },
  ): Promise<{ readonly results: readonly { readonly id: string }[]; readonly hasMore: boolean; readonly nextOffset: string }>;
}

interface ClaimedUsersParts {
  readonly auth: ClaimedGroups;
  readonly accounts: ClaimedAccounts;
  readonly kv: KvStore;
  readonly cache: CacheOptions;
  readonly log: Logger;
}

export class ClaimedUsers {
  readonly #options: ClaimedUsersOptions;
  readonly #parts: ClaimedUsersParts;
  readonly #pending: PendingGroups;
  /** External ID → user. */
  readonly #names: ExpiringCache<{ readonly username: string }>;

  constructor(options: ClaimedUsersOptions, parts: ClaimedUsersParts) {
    this.#options = options;
    this.#parts = parts;
    this.#pending = new PendingGroups(parts.kv);
    this.#names = new ExpiringCache(parts.cache);
  }

  /** The user that claims lead to, for one request. @throws SrvError `unauthenticated`. */
  async userOf(claims: Claims): Promise<User> {
    const { accounts } = this.#parts;
    const { externalId, friendlyName } = identify(claims, this.#options);
    const username = await this.#nameOf(externalId, claims);
    let user = await accounts.knownUser(username);
    if (!user) {
      // Deleted since it was looked up.
      await this.#names.forget(externalId);
      user = await accounts.knownUser(await this.#nameOf(externalId, claims));
    }
    if (!user) throw new SrvError('unauthenticated', 'error authenticating request');
    if (friendlyName === undefined || friendlyName === user.friendlyName) return user;
    if (this.#options.persistName) await this.#storeName(user.username, friendlyName);
    return { ...user, friendlyName };
  }

  /** Makes the user a member of exactly the groups its claims name, where they say. */
  async syncGroups(username: string, claims: Claims): Promise<void> {
    const { auth, log } = this.#parts;
    const wanted = claimedGroups(claims, this.#options.groupClaims);
    if (wanted === undefined || !auth.supports('groups')) return;
    const current = await this.#groupsOf(username);
    for (const group of current.filter(name => !wanted.includes(name))) {
      await auth.removeMember(group, username);
      log.info({ user: username, group }, 'user left a group, as its claims say');
    }
    await this.#join(
      username,
      wanted.filter(name => !current.includes(name)),
    );
  }

  async #groupsOf(username: string): Promise<string[]> {
    const found: string[] = [];
    for (let after = ''; ; ) {
      const { results, hasMore, nextOffset } = await this.#parts.auth.listUserGroups(username, { after, amount: 1000 });
      found.push(...results.map(({ id }) => id));
      if (!hasMore || nextOffset === after) return found;
      after = nextOffset;
    }
  }

  async #nameOf(externalId: string, claims: Claims): Promise<string> {
    const found = await this.#names.get(externalId, async () => {
      const { accounts, auth } = this.#parts;
      const { username, source } = (await accounts.findByExternalId(externalId)) ?? (await this.#create(externalId, claims));
      if (auth.supports('groups')) await this.#pending.complete({ source, id: externalId }, groups => this.#join(username, groups));
      return { username };
    });
    return found?.username ?? '';
  }

  async #create(externalId: string, claims: Claims): Promise<ClaimedAccount> {
    const { source, persistName } = this.#options;
    const { accounts, auth, log } = this.#parts;
    const { friendlyName, email } = identify(claims, this.#options);
    // Read before anything is created: claims that cannot be read create no user.
    const groups = groupsIn(claims, this.#options);
    try {
      checkNewName('User', externalId);
      if (auth.supports('groups')) await this.#pending.note({ source, id: externalId }, groups);
      const name = persistName && friendlyName ? { friendlyName } : {};
      await accounts.createAccount({ username: externalId, externalId, source, ...name, email: email || undefined });
    } catch (error) {
      const known = isSrvError(error, 'not_unique') ? await accounts.findByExternalId(externalId) : undefined;
      if (known) return known;
      if (!isSrvError(error, 'not_unique', 'invalid')) throw error;
      // A user of that name exists whom the claims do not identify, or the name is not valid.
      log.warn(
        { user: externalId.slice(0, 200), error: messageOf(error) },
        'the name of a user of the identity provider is not valid here',
      );
      throw new SrvError('unauthenticated', 'error authenticating request', { cause: error });
    }
    log.info({ user: externalId, source, groups }, 'user created at its first login');
    return { username: externalId, source };
  }

  /** Only the administrator can add a group that is missing, or cannot be: the user logs in without it. */
  async #join(username: string, groups: readonly string[]): Promise<void> {
    const { auth, log } = this.#parts;
    for (const group of groups) {
      try {
        await auth.addMember(group, username);
      } catch (error) {
        if (isSrvError(error, 'not_unique')) continue;
        if (!isSrvError(error, 'not_found', 'invalid')) throw error;
        log.warn({ user: username, group, error: messageOf(error) }, 'user not added to a group');
      }
    }
  }

  async #storeName(username: string, friendlyName: string): Promise<void> {
    const { accounts, log } = this.#parts;
    await accounts
      .setFriendlyName(username, friendlyName)
      .catch((error: unknown) => log.warn({ user: username, error: messageOf(error) }, 'friendly name not stored'));
  }
}

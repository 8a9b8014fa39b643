/** Users with everything that belongs to them, with caches that this server's changes invalidate. */

import { ExpiringCache } from '@srv/kernel/cache';
import { writeOwned } from '../storage/owned-write.js';
import { Credentials } from './credentials.js';
import { Groups } from './groups.js';
import { Principals } from './principals.js';
import { Users } from './users.js';
import type { KvStore, User } from '@srv/kernel';
import type { CacheOptions } from '@srv/kernel/cache';
import type { OwnedKey, UserDirectory } from '@srv/lib-auth';
import type { AccessKey, AccountChange, AuthMode, CredentialWithSecret, NewAccount, Policy } from '../../contract.js';
import type { SecretBox } from '../storage/secrets.js';

interface DirectoryOptions {
  readonly kv: KvStore;
  readonly box: SecretBox;
  readonly mode: AuthMode;
  /** Options of the cache of that name. */
  readonly cacheOf: (name: string) => CacheOptions;
}

export class Directory implements UserDirectory {
  readonly users: Users;
  readonly credentials: Credentials;
  readonly groups: Groups;
  readonly principals: Principals;
  readonly #knownUsers: ExpiringCache<User>;
  readonly #knownKeys: ExpiringCache<OwnedKey>;
  readonly #knownPolicies: ExpiringCache<readonly Policy[]>;

  constructor({ kv, box, mode, cacheOf }: DirectoryOptions) {
    const basic = mode === 'none';
    this.users = new Users(kv, basic);
    this.credentials = new Credentials(kv, box, basic);
    this.groups = new Groups(kv);
    this.principals = new Principals(kv);
    this.#knownUsers = new ExpiringCache(cacheOf('users'));
    this.#knownKeys = new ExpiringCache(cacheOf('access keys'));
    this.#knownPolicies = new ExpiringCache(cacheOf('policies'));
  }

  findUser(username: string): Promise<User | undefined> {
    return this.#knownUsers.get(username, async () =>
      username.includes('/') || username === '' ? undefined : this.users.findActive(username),
    );
  }

  findAccessKey(accessKeyId: string): Promise<OwnedKey | undefined> {
    return this.#knownKeys.get(accessKeyId, () => this.credentials.reveal(accessKeyId));
  }

  async effectivePolicies(username: string): Promise<readonly Policy[]> {
    return (await this.#knownPolicies.get(username, () => this.groups.effectivePolicies(username))) ?? [];
  }

  async createUser(user: NewAccount): Promise<User> {
    const created = await this.users.create(user);
    await this.#knownUsers.forget(user.username);
    return created;
  }

  /**
   * Credentials first, so that a user whose deletion stops halfway can no longer log in.
   * @throws SrvError `not_found`; `too_many_tries` while another request does the last step.
   */
  async deleteUser(username: string): Promise<void> {
    const deletion = await this.users.beginDeletion(username);
    // Unknown to requests from here on, also if the deletion stops halfway.
    await this.#knownUsers.forget(username);
    const removed = await this.credentials.deleteAll(await this.users.place(username), deletion);
    try {
      await this.groups.forgetUser(username, deletion);
      await this.principals.forgetUser(username, deletion);
      await this.users.finishDeletion(deletion);
    } finally {
      await Promise.all([...removed.map(accessKeyId => this.#knownKeys.forget(accessKeyId)), this.#knownPolicies.forget(username)]);
    }
  }

  async createCredential(username: string, key?: AccessKey): Promise<CredentialWithSecret> {
    const place = await this.users.place(username);
    const created = await writeOwned(
      [this.users.owner(username)],
      () => this.credentials.create(username, place, key),
      async ({ accessKeyId }) => {
        await this.credentials.delete(place, accessKeyId);
        await this.#knownKeys.forget(accessKeyId);
      },
    );
    await this.#knownKeys.forget(created.accessKeyId);
    return created;
  }

  async deleteCredential(username: string, accessKeyId: string): Promise<void> {
    const place = await this.users.place(username);
    await this.credentials.get(place, accessKeyId);
    await this.credentials.delete(place, accessKeyId);
    await this.#knownKeys.forget(accessKeyId);
  }

  async deleteCredentials(username: string): Promise<void> {
    for await (const accessKeyId of this.credentials.idsOf(await this.users.place(username)))
      await this.deleteCredential(username, accessKeyId);
  }

  /** @param facts what is stored of a user in addition to its name. */
  async changeUser(username: string, facts: Parameters<Users['change']>[1]): Promise<void> {
    await this.users.change(username, facts);
    await this.#knownUsers.forget(username);
  }

  async reassignUser(username: string, change: AccountChange): Promise<void> {
    await this.users.reassign(username, change);
    await this.#knownUsers.forget(username);
  }

  /** @param options.tolerate accepts a user who is a member already. @throws SrvError `not_found`, `not_unique`. */
  addMember(group: string, username: string, { tolerate = false } = {}): Promise<void> {
    const { groups, members } = this.groups;
    return writeOwned(
      [groups.owner(group), this.users.owner(username)],
      () => members.add(group, username, { tolerate }),
      () => members.drop(group, username),
    );
  }

  /** @throws SrvError `not_found`, `not_unique`. */
  attachToUser(username: string, policy: string): Promise<void> {
    const { policies, userPolicies } = this.groups;
    return writeOwned(
      [this.users.owner(username), policies.owner(policy)],
      () => userPolicies.add(username, policy),
      () => userPolicies.drop(username, policy),
    );
  }

  /** @throws SrvError `not_found`, `not_unique`. */
  createPrincipal(username: string, id: string): Promise<void> {
    return writeOwned(
      [this.users.owner(username)],
      () => this.principals.create(username, id),
      () => this.principals.delete(username, id),
    );
  }

  /** Runs a change of groups, policies or attachments; who it affects is not worth finding out. */
  async changePolicies<T>(change: () => Promise<T>): Promise<T> {
    try {
      return await change();
    } finally {
      await this.#knownPolicies.clear();
    }
  }

  /** Names of all users, for changes that touch each. */
  async *usernames(): AsyncGenerator<string> {
    let after = '';
    for (;;) {
      const { results, hasMore, nextOffset } = await this.users.page({ after, amount: 1000 });
      for (const { username } of results) yield username;
      if (!hasMore) return;
      after = nextOffset;
    }
  }
}

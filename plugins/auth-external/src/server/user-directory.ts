/** Users, access keys and policies of the service, with caches that this server's changes invalidate. */
import { SrvError } from '@srv/kernel';
import { ExpiringCache } from '@srv/kernel/cache';
import {
  decodeKey,
  decodePolicy,
  decodeUser,
  plainUser,
  wireCredentialWithSecret,
  wirePolicy,
  wireUser,
} from '@srv/lib-auth/authorization';
import type { User } from '@srv/kernel';
import type { CacheOptions } from '@srv/kernel/cache';
import type { OwnedKey, Policy, UserDirectory } from '@srv/lib-auth';
import type { WireAccount } from '@srv/lib-auth/authorization';
import type { ServiceClient } from './service-client.js';

export class RemoteUserDirectory implements UserDirectory {
  readonly #service: ServiceClient;
  readonly #users: ExpiringCache<User>;
  readonly #keys: ExpiringCache<OwnedKey>;
  readonly #policies: ExpiringCache<readonly Policy[]>;

  /** @param cacheOf options of the cache of that name. */
  constructor(service: ServiceClient, cacheOf: (name: string) => CacheOptions) {
    this.#service = service;
    this.#users = new ExpiringCache(cacheOf('users'));
    this.#keys = new ExpiringCache(cacheOf('access keys'));
    this.#policies = new ExpiringCache(cacheOf('policies'));
  }

  /** The user as requests know it: deactivated ones are unknown. */
  findUser(username: string): Promise<User | undefined> {
    return this.#users.get(username, async () => {
      const found = await this.findAccount(username);
      return found && !found.inactive ? plainUser(found) : undefined;
    });
  }

  findAccessKey(accessKeyId: string): Promise<OwnedKey | undefined> {
    return this.#keys.get(accessKeyId, () => this.findKey(accessKeyId));
  }

  async effectivePolicies(username: string): Promise<readonly Policy[]> {
    const found = await this.#policies.get(username, async () => {
      const path = ['auth', 'users', username, 'policies'];
      const all = await this.#service.all(wirePolicy, { path, query: { effective: true }, missing: 'user not found' });
      return all.map(decodePolicy);
    });
    return found ?? [];
  }

  /** Not from a cache, as everything below. */
  async findAccount(username: string): Promise<WireAccount | undefined> {
    if (!isPathPart(username)) return undefined;
    const found = await this.#service.find(wireUser, { method: 'GET', path: ['auth', 'users', username], expect: 200 });
    if (found && found.username !== username) throw mismatch('user', username);
    return found && decodeUser(found);
  }

  async findKey(accessKeyId: string): Promise<(OwnedKey & { readonly createdAt: Date }) | undefined> {
    if (!isPathPart(accessKeyId)) return undefined;
    const found = await this.#service.find(wireCredentialWithSecret, {
      method: 'GET',
      path: ['auth', 'credentials', accessKeyId],
      expect: 200,
    });
    if (found && found.access_key_id !== accessKeyId) throw mismatch('access key', accessKeyId);
    return found && decodeKey(found);
  }

  async forgetUser(username: string): Promise<void> {
    // Its access keys are not known by name.
    await Promise.all([this.#users.forget(username), this.#policies.forget(username), this.#keys.clear()]);
  }

  forgetKey(accessKeyId: string): Promise<void> {
    return this.#keys.forget(accessKeyId);
  }

  /** Who a change of groups or policies affects is not worth finding out. */
  forgetPolicies(): Promise<void> {
    return this.#policies.clear();
  }
}

/** Names that every URL parser would resolve away exist nowhere. */
function isPathPart(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..';
}

function mismatch(kind: string, name: string): SrvError {
  return new SrvError('internal', `authorization service: the response to a request for the ${kind} ${name} is about another one`);
}

/** Users of an identity provider: created, adopted, changed, deactivated, deleted. */
import { equalsInAnyCase } from './filter.js';
import { listOf, readListRequest, soleEquality } from './page.js';
import { patched } from './patch.js';
import { ScimError } from './scim-error.js';
import { namesakes, userNames } from './stored-users.js';
import { presentUser, readUser } from './user-resource.js';
import type { Account, AccountService, AuthService, ProvisioningService } from '@srv/auth/contract';
import type { NameLocks } from './name-locks.js';
import type { Resource } from './patch.js';
import type { UserAttributeStore } from './user-attributes.js';
import type { UserFacts } from './user-resource.js';

export interface UserParts {
  readonly auth: AuthService;
  readonly accounts: AccountService;
  readonly provisioning: ProvisioningService;
  readonly attributes: UserAttributeStore;
  readonly holding: NameLocks;
  /** Address of the endpoint. */
  readonly base: string;
}

/** Source of users that come this way. */
const source = 'scim';

export function scimUsers({ auth, accounts, provisioning, attributes, holding, base }: UserParts) {
  const present = async (account: Account): Promise<Resource> => presentUser(account, await attributes.of(account.username, account), base);

  async function find(id: string): Promise<Account> {
    const account = await accounts.findAccount(id);
    if (!account) throw new ScimError(404, `user ${id} not found`);
    return account;
  }

  /** @param before what the request has seen: facts that it does not change are not written, so what others change meanwhile stays. */
  async function write(id: string, facts: UserFacts, before?: UserFacts): Promise<Resource> {
    const differs = (...names: readonly (keyof UserFacts)[]): boolean => !before || names.some(name => facts[name] !== before[name]);
    await provisioning.changeAccount(id, {
      externalId: differs('externalId') ? facts.externalId : undefined,
      email: differs('email') ? facts.email : undefined,
      friendlyName: differs('friendlyName') ? facts.friendlyName : undefined,
      inactive: differs('active') ? !facts.active : undefined,
    });
    await attributes.change(id, {
      address: differs('email', 'emailType', 'emailPrimary') ? facts : undefined,
      name: differs('friendlyName', 'givenName', 'familyName') ? facts : undefined,
    });
    return present(await find(id));
  }

  /** Found by an index, where the filter is one equality. */
  async function indexed(name: string, value: string): Promise<Account | undefined> {
    if (name === 'username' || name === 'id') return accounts.findAccount(value);
    if (name === 'externalid') return accounts.findByExternalId(value);
    return undefined;
  }

  async function createOrAdopt(facts: UserFacts): Promise<Resource> {
    const existing = await accounts.findAccount(facts.userName);
    if (!existing) {
      const { value: namesake } = await namesakes(auth, facts.userName).next();
      if (namesake !== undefined) throw existsAlready(namesake);
      const { userName: username, externalId, email, friendlyName } = facts;
      await accounts.createAccount({ username, source, externalId, email, friendlyName });
      return write(username, facts);
    }
    // A user who was here before is adopted by the provider, once.
    if (existing.externalId !== '' || facts.externalId === '') throw existsAlready(facts.userName);
    return write(facts.userName, { ...facts, email: facts.email || (existing.email ?? '') });
  }

  return {
    async list(query: Readonly<Record<string, unknown>>): Promise<Resource> {
      const request = readListRequest(query);
      const sole = soleEquality(request.filter);
      const found = sole && (await indexed(sole.name, sole.value));
      const candidates = found ? one(found.username) : sole?.name === 'username' ? namesakes(auth, sole.value) : userNames(auth);
      return listOf(candidates, request, async name => {
        const account = await accounts.findAccount(name);
        return account && present(account);
      });
    },
    get: async (id: string) => present(await find(id)),
    create(body: unknown): Promise<Resource> {
      const facts = readUser(body);
      return holding('user', facts.userName, () => createOrAdopt(facts));
    },
    async replace(id: string, body: unknown): Promise<Resource> {
      const account = await find(id);
      return change(account, readUser(body));
    },
    async patch(id: string, body: unknown): Promise<Resource> {
      const account = await find(id);
      const seen = await present(account);
      return change(account, readUser(await patchedNames(seen, body)), readUser(seen));
    },
    async delete(id: string): Promise<void> {
      await find(id);
      await auth.deleteUser(id);
      await attributes.forget(id);
    },
  };

  function change({ username }: Account, facts: UserFacts, before?: UserFacts): Promise<Resource> {
    if (!equalsInAnyCase(facts.userName, username))
      throw new ScimError(400, `userName: ${username} cannot become ${facts.userName}: names of users are final`, 'mutability');
    return write(username, facts, before);
  }
}

const existsAlready = (name: string): ScimError => new ScimError(409, `user ${name} exists already`, 'uniqueness');

/** A new part of the name changes the shown name, unless that is given, too. */
async function patchedNames(resource: Resource, body: unknown): Promise<Resource> {
  const result = await patched(resource, body);
  // Both are the same text here: what removes one removes the other.
  if (result['displayName'] === undefined && JSON.stringify(result['name']) === JSON.stringify(resource['name']))
    return { ...result, name: {} };
  const before = JSON.stringify(resource['name'] ?? {});
  if (JSON.stringify(result['name'] ?? {}) === before || result['displayName'] !== resource['displayName']) return result;
  const name = { ...(result['name'] as Resource) };
  const old = resource['name'] as Resource | undefined;
  if (old && name['formatted'] === old['formatted'] && (name['givenName'] !== undefined || name['familyName'] !== undefined))
    delete name['formatted'];
  return { ...result, name, displayName: '' };
}

async function* one<T>(item: T): AsyncGenerator<T> {
  yield item;
}

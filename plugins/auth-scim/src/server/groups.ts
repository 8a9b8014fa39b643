/** Groups of an identity provider, and their members. */
import { administrators } from '@srv/lib-auth';
import { listOf, readListRequest, soleEquality } from './page.js';
import { isRecord, memberOf, patched } from './patch.js';
import { createRenames } from './renames.js';
import { ScimError } from './scim-error.js';
import { checkName, findGroup, groupNames, membersOf, setMembers } from './stored-groups.js';
import type { AccountService, AuthService } from '@srv/auth/contract';
import type { GroupIds, KnownGroup } from './group-ids.js';
import type { NameLocks } from './name-locks.js';
import type { Resource } from './patch.js';
import type { Renames } from './renames.js';

const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
/** Members that one request may name. */
const mostMembers = 10_000;

interface GroupParts {
  readonly auth: AuthService;
  readonly accounts: Pick<AccountService, 'findAccount'>;
  readonly ids: GroupIds;
  readonly holding: NameLocks;
  /** Address of the endpoint. */
  readonly base: string;
}

interface GroupFacts {
  readonly name: string;
  readonly externalId: string;
  /** Absent: they stay. */
  readonly members?: ReadonlySet<string>;
}

export function scimGroups(parts: GroupParts) {
  const { auth, accounts, ids, holding, base } = parts;
  const renames = createRenames({ auth, ids, holding });
  const find = (id: string): Promise<KnownGroup> => findById(parts, renames, id);

  async function present({ id, name, externalId }: KnownGroup, withMembers = true): Promise<Resource> {
    return {
      schemas: [groupSchema],
      id,
      displayName: name,
      ...(externalId === '' ? {} : { externalId }),
      ...(withMembers
        ? {
            members: (await membersOf(auth, name)).map(value => ({
              value,
              type: 'User',
              $ref: `${base}/Users/${encodeURIComponent(value)}`,
            })),
          }
        : {}),
      meta: { resourceType: 'Group', location: `${base}/Groups/${encodeURIComponent(id)}` },
    };
  }

  /** @param before members that the request has seen: what others add or remove meanwhile stays. */
  async function change(group: KnownGroup, facts: GroupFacts, before?: ReadonlySet<string>): Promise<Resource> {
    const { name, externalId, members } = facts;
    if (name !== group.name && group.name === administrators)
      throw new ScimError(400, `group ${administrators} cannot be renamed`, 'mutability');
    await checkMembers(accounts, facts, before);
    const next = name === group.name ? group : await renames.rename(group, name);
    if (externalId !== group.externalId) await ids.change(next, { externalId });
    if (members && !(before && areEqual(members, before)))
      await whileNamed(renames, next, () => setMembers(auth, next.name, members, { before }));
    return present({ ...next, externalId });
  }

  return {
    async list(query: Readonly<Record<string, unknown>>): Promise<Resource> {
      const request = readListRequest(query);
      const sole = soleEquality(request.filter);
      const exact = sole?.name === 'displayname' && (await findGroup(auth, sole.value)) ? sole.value : undefined;
      return listOf(exact === undefined ? groupNames(auth) : one(exact), request, async name =>
        present(await ids.byName(name), request.withMembers),
      );
    },
    get: async (id: string, query: Readonly<Record<string, unknown>>) => present(await find(id), readListRequest(query).withMembers),
    async create(body: unknown): Promise<Resource> {
      const facts = readGroup(body);
      const { name, externalId, members } = facts;
      await checkMembers(accounts, facts);
      const group = await holding('group', name, async () => {
        await checkName(auth, name);
        await auth.createGroup(name);
        return ids.create(name, externalId);
      });
      if (members) await setMembers(auth, name, members);
      return present(group);
    },
    replace: async (id: string, body: unknown): Promise<Resource> => change(await find(id), { members: new Set(), ...readGroup(body) }),
    async patch(id: string, body: unknown): Promise<Resource> {
      const group = await find(id);
      const seen = await present(group);
      return change(group, readGroup(await patched(seen, body)), readGroup(seen).members);
    },
    async delete(id: string): Promise<void> {
      const group = await find(id);
      if (group.name === administrators) throw new ScimError(403, `group ${administrators} cannot be deleted`, 'mutability');
      await holding('group', group.name, async () => {
        await renames.checkStays(group);
        await auth.deleteGroup(group.name);
        await ids.forget(group);
      });
    },
  };
}

/** @throws ScimError 404, SrvError `not_found`. */
async function findById({ auth, ids }: GroupParts, renames: Renames, id: string): Promise<KnownGroup> {
  const group = await renames.settle(await ids.byId(id));
  // A group that took the name of a renamed one has another id.
  if ((await ids.byName(group.name)).id !== id) throw new ScimError(404, `group ${id} not found`);
  // The old group may be half deleted.
  if (group.renaming?.isCopied) return { ...group, name: group.renaming.to };
  await auth.getGroup(group.name);
  return group;
}

/** Of names of members. */
const areEqual = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every(name => other.has(name));

/** @throws ScimError 409 where a rename at the same time may not see the change: the request is to be repeated. */
async function whileNamed(renames: Renames, group: KnownGroup, write: () => Promise<void>): Promise<void> {
  await renames.checkStays(group);
  try {
    await write();
  } catch (error) {
    await renames.checkStays(group);
    throw error;
  }
  await renames.checkStays(group);
}

/** Before the first write: a request that fails has changed nothing. @throws ScimError 400 `invalidValue`. */
async function checkMembers(accounts: GroupParts['accounts'], { members }: GroupFacts, before?: ReadonlySet<string>): Promise<void> {
  for (const user of members ?? [])
    if (!before?.has(user) && !(await accounts.findAccount(user)))
      throw new ScimError(400, `members: user ${JSON.stringify(user)} not found`, 'invalidValue');
}

function readGroup(body: unknown): GroupFacts {
  if (!isRecord(body)) throw new ScimError(400, 'a group must be an object', 'invalidSyntax');
  const [name, externalId, members] = [memberOf(body, 'displayName'), memberOf(body, 'externalId') ?? '', memberOf(body, 'members')];
  if (typeof name !== 'string' || name.trim() === '')
    throw new ScimError(400, 'displayName: must be a text that is not empty', 'invalidValue');
  if (typeof externalId !== 'string') throw new ScimError(400, 'externalId: must be a text', 'invalidValue');
  return { name: name.trim(), externalId, ...(members === undefined || members === null ? {} : { members: readMembers(members) }) };
}

function readMembers(members: unknown): ReadonlySet<string> {
  const list = (Array.isArray(members) ? members : [members]) as readonly unknown[];
  if (list.length > mostMembers)
    throw new ScimError(400, `${list.length} members: at most ${mostMembers} are possible in one request`, 'invalidValue');
  return new Set(
    list.map(item => {
      const value = isRecord(item) ? memberOf(item, 'value') : item;
      if (typeof value !== 'string' || value === '')
        throw new ScimError(400, `member ${JSON.stringify(item)} has no value`, 'invalidValue');
      return value;
    }),
  );
}

async function* one<T>(item: T): AsyncGenerator<T> {
  yield item;
}

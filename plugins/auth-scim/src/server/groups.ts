/** Groups of an identity provider, and their members. */
import { administrators } from '@srv/lib-auth';
import { listOf, readListRequest, soleEquality } from './page.js';
import { isRecord, memberOf, patched } from './patch.js';
import { ScimError } from './scim-error.js';
import type { AuthService } from '@srv/auth/contract';
import type { GroupIds, KnownGroup } from './group-ids.js';
import type { Resource } from './patch.js';

const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
/** Members that one request may name. */
const mostMembers = 10_000;

interface GroupParts {
  readonly auth: AuthService;
  readonly ids: GroupIds;
  /** Address of the endpoint. */
  readonly base: string;
}

interface GroupFacts {
  readonly name: string;
  readonly externalId: string;
  /** Absent: they stay. */
  readonly members?: ReadonlySet<string>;
}

export function scimGroups({ auth, ids, base }: GroupParts) {
  async function find(id: string): Promise<KnownGroup> {
    const group = await ids.byId(id);
    // A group that took the name of a renamed one has another id.
    if ((await ids.byName(group.name)).id !== id) throw new ScimError(404, `group ${id} not found`);
    await auth.getGroup(group.name);
    return group;
  }

  async function membersOf(name: string): Promise<string[]> {
    const found: string[] = [];
    for (let after = ''; ; ) {
      const { results, hasMore, nextOffset } = await auth.listMembers(name, { after, amount: 1000 });
      found.push(...results.map(({ username }) => username));
      if (!hasMore) return found;
      after = nextOffset;
    }
  }

  async function present({ id, name, externalId }: KnownGroup, withMembers = true): Promise<Resource> {
    return {
      schemas: [groupSchema],
      id,
      displayName: name,
      ...(externalId === '' ? {} : { externalId }),
      ...(withMembers ? { members: (await membersOf(name)).map(value => ({ value, type: 'User', $ref: `${base}/Users/${encodeURIComponent(value)}` })) } : {}),
      meta: { resourceType: 'Group', location: `${base}/Groups/${encodeURIComponent(id)}` },
    };
  }

  async function setMembers(name: string, wanted: ReadonlySet<string>): Promise<void> {
    const current = new Set(await membersOf(name));
    for (const user of wanted) if (!current.has(user)) await auth.addMember(name, user);
    for (const user of current) if (!wanted.has(user)) await auth.removeMember(name, user);
  }

  async function* names(): AsyncGenerator<string> {
    for (let after = ''; ; ) {
      const { results, hasMore, nextOffset } = await auth.listGroups({ after, amount: 1000 });
      for (const { id } of results) yield id;
      if (!hasMore) return;
      after = nextOffset;
    }
  }

  /** Groups have no other name in the directory: a new one gets what the old one had. */
  async function rename(group: KnownGroup, name: string): Promise<KnownGroup> {
    if (group.name === administrators) throw new ScimError(400, `group ${administrators} cannot be renamed`, 'mutability');
    await auth.createGroup(name);
    for (const user of await membersOf(group.name)) await auth.addMember(name, user);
    if (auth.supports('policies')) {
      for (const { id } of (await auth.listGroupPolicies(group.name, { amount: 1000 })).results) await auth.attachToGroup(name, id);
    } else if (auth.supports('acls')) {
      const acl = await auth.getGroupAcl(group.name);
      if (acl !== undefined) await auth.setGroupAcl(name, acl);
    }
    await auth.deleteGroup(group.name);
    return ids.rename(group, name);
  }

  async function change(group: KnownGroup, { name, externalId, members }: GroupFacts): Promise<Resource> {
    let next = group;
    if (name !== group.name) next = await rename(group, name);
    if (externalId !== next.externalId) next = await ids.store({ ...next, externalId });
    if (members) await setMembers(next.name, members);
    return present(next);
  }

  return {
    async list(query: Readonly<Record<string, unknown>>): Promise<Resource> {
      const request = readListRequest(query);
      const sole = soleEquality(request.filter);
      const exact = sole?.name === 'displayname' && (await exists(sole.value)) ? sole.value : undefined;
      return listOf(exact === undefined ? names() : one(exact), request, async name =>
        present(await ids.byName(name), request.withMembers),
      );
    },
    get: async (id: string, query: Readonly<Record<string, unknown>>) => present(await find(id), readListRequest(query).withMembers),
    async create(body: unknown): Promise<Resource> {
      const { name, externalId, members } = readGroup(body);
      await auth.createGroup(name);
      const group = await ids.create(name, externalId);
      if (members) await setMembers(name, members);
      return present(group);
    },
    replace: async (id: string, body: unknown): Promise<Resource> => change(await find(id), { members: new Set(), ...readGroup(body) }),
    async patch(id: string, body: unknown): Promise<Resource> {
      const group = await find(id);
      return change(group, readGroup(patched(await present(group), body)));
    },
    async delete(id: string): Promise<void> {
      const group = await find(id);
      if (group.name === administrators) throw new ScimError(403, `group ${administrators} cannot be deleted`, 'mutability');
      await auth.deleteGroup(group.name);
      await ids.forget(group);
    },
  };

  async function exists(name: string): Promise<boolean> {
    return auth.getGroup(name).then(
      () => true,
      () => false,
    );
  }
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

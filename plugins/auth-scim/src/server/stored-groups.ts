/** Groups of the directory, in whole. */
import { isSrvError } from '@srv/kernel';
import { equalsInAnyCase } from './filter.js';
import { ScimError } from './scim-error.js';
import type { AuthPage, AuthPageRequest, AuthService, Group } from '@srv/auth/contract';

/** Everything that a list has, page by page. */
async function* itemsOf<T>(list: (request: AuthPageRequest) => Promise<AuthPage<T>>): AsyncGenerator<T> {
  for (let after = ''; ; ) {
    const { results, hasMore, nextOffset } = await list({ after, amount: 1000 });
    yield* results;
    if (!hasMore) return;
    after = nextOffset;
  }
}

/** Names of the members of a group. */
export async function membersOf(auth: AuthService, name: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { username } of itemsOf(page => auth.listMembers(name, page))) found.push(username);
  return found;
}

interface MemberChange {
  /** Members to be changed; others that are there stay as they are. Default: those there are. */
  readonly before?: ReadonlySet<string> | undefined;
  /** Called between members. */
  readonly alive?: () => Promise<void>;
}

/** Makes `wanted` the members of a group. */
export async function setMembers(
  auth: AuthService,
  name: string,
  wanted: ReadonlySet<string>,
  { before, alive }: MemberChange = {},
): Promise<void> {
  const current = new Set(await membersOf(auth, name));
  const known = before ?? current;
  for (const user of wanted) {
    if (known.has(user) || current.has(user)) continue;
    await alive?.();
    await auth.addMember(name, user);
  }
  for (const user of known) if (!wanted.has(user) && current.has(user)) await auth.removeMember(name, user);
}

/** Names of all groups. */
export async function* groupNames(auth: AuthService): AsyncGenerator<string> {
  for await (const { id } of itemsOf(page => auth.listGroups(page))) yield id;
}

/** Names of the policies of a group. */
async function policiesOf(auth: AuthService, name: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { id } of itemsOf(page => auth.listGroupPolicies(name, page))) found.push(id);
  return found;
}

/** Gives a group the members and the rights that another one has, and no others. @param alive called between members. */
export async function copyGroup(auth: AuthService, from: string, to: string, alive: () => Promise<void>): Promise<void> {
  await setMembers(auth, to, new Set(await membersOf(auth, from)), { alive });
  if (auth.supports('policies')) {
    const [wanted, present] = [await policiesOf(auth, from), await policiesOf(auth, to)];
    for (const policy of wanted) if (!present.includes(policy)) await auth.attachToGroup(to, policy);
    for (const policy of present) if (!wanted.includes(policy)) await auth.detachFromGroup(to, policy);
  } else if (auth.supports('acls')) {
    const acl = await auth.getGroupAcl(from);
    if (acl !== undefined) await auth.setGroupAcl(to, acl);
  }
}

/** Whether it has neither members nor rights. */
export async function isEmptyGroup(auth: AuthService, name: string): Promise<boolean> {
  if ((await membersOf(auth, name)).length > 0) return false;
  if (auth.supports('policies')) return (await policiesOf(auth, name)).length === 0;
  return !auth.supports('acls') || (await auth.getGroupAcl(name)) === undefined;
}

/** @param own name of the group that is renamed. @throws ScimError 409 where a group has the name, in any case. */
export async function checkName(auth: AuthService, wanted: string, own?: string): Promise<void> {
  for await (const name of groupNames(auth))
    if (name !== own && equalsInAnyCase(name, wanted)) throw new ScimError(409, `group ${name} exists already`, 'uniqueness');
}

/** `undefined`: it does not exist. */
export async function findGroup(auth: AuthService, name: string): Promise<Group | undefined> {
  try {
    return await auth.getGroup(name);
  } catch (error) {
    if (isSrvError(error, 'not_found', 'invalid')) return undefined;
    throw error;
  }
}

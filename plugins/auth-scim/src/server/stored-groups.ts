/** Groups of the directory, in whole. */
import { isSrvError } from '@srv/kernel';
import type { AuthPage, AuthPageRequest, AuthService } from '@srv/auth/contract';

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

/** Makes `wanted` of the members that were there `before`; default: of those there are. */
export async function setMembers(
  auth: AuthService,
  name: string,
  wanted: ReadonlySet<string>,
  before?: ReadonlySet<string>,
): Promise<void> {
  const current = new Set(await membersOf(auth, name));
  const known = before ?? current;
  for (const user of wanted) if (!known.has(user) && !current.has(user)) await auth.addMember(name, user);
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

/** Groups have no other name in the directory: a new one gets what the old one had. One that cannot be made whole is removed. */
export async function moveGroup(auth: AuthService, from: string, to: string): Promise<void> {
  const { description } = await auth.getGroup(from);
  await auth.createGroup(to, description);
  try {
    await copyGroup(auth, from, to);
  } catch (error) {
    await auth.deleteGroup(to).catch(() => undefined);
    throw error;
  }
  await auth.deleteGroup(from);
}

async function copyGroup(auth: AuthService, from: string, to: string): Promise<void> {
  for (const user of await membersOf(auth, from)) await auth.addMember(to, user);
  if (auth.supports('policies')) {
    for (const policy of await policiesOf(auth, from)) await auth.attachToGroup(to, policy);
  } else if (auth.supports('acls')) {
    const acl = await auth.getGroupAcl(from);
    if (acl !== undefined) await auth.setGroupAcl(to, acl);
  }
}

export async function groupExists(auth: AuthService, name: string): Promise<boolean> {
  try {
    await auth.getGroup(name);
    return true;
  } catch (error) {
    if (isSrvError(error, 'not_found', 'invalid')) return false;
    throw error;
  }
}

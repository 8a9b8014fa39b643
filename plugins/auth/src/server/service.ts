/** The `auth` service: modes, names and texts around the directory. */
import { SrvError } from '@srv/kernel';
import { getAcl, parseAclPermission, setAcl } from './directory/acl.js';
import { checkStatements } from '@srv/lib-auth';
import { createAdministrator, createPresets, promoteOwner, setUp } from './setup.js';
import type { AuthFeature, AuthMode, AuthService, LoginSettings, Policy } from '../contract.js';
import type { Directory } from './directory/directory.js';
import type { Installation } from './installation.js';
import type { Identity } from '@srv/kernel';
import type { Sessions, SignIns } from '@srv/lib-auth';

const features: Readonly<Record<AuthMode, readonly AuthFeature[]>> = {
  none: [],
  simplified: ['groups', 'acls'],
  internal: ['groups', 'policies'],
  external: ['groups', 'policies'],
};

interface AuthParts {
  readonly directory: Directory;
  readonly installation: Installation;
  readonly installationId: string;
  readonly mode: AuthMode;
  readonly login: LoginSettings;
  readonly sessions: Sessions;
  readonly signIns: SignIns;
  readonly visibility: Identity['visibility'];
}

export function createAuthService(parts: AuthParts): AuthService {
  const { directory, installation, installationId, mode, login, sessions, signIns, visibility } = parts;
  const { users, credentials, groups } = directory;
  const needs = (feature: AuthFeature): void => {
    if (!features[mode].includes(feature)) throw new SrvError('unsupported', 'Not Implemented');
  };
  /** Every change of groups and policies: refused in modes without them, and caches forget. */
  const change = async <T>(feature: AuthFeature, work: () => Promise<T>): Promise<T> => {
    needs(feature);
    return directory.changePolicies(work);
  };
  /** An administrator without the groups and policies of the mode would have no rights. */
  const needPresets = async (): Promise<void> => {
    if (await installation.hasPresets()) return;
    await createPresets(directory, mode, false);
    await installation.markPresets();
  };
  const storePolicy = async (policy: Policy, method: 'create' | 'replace'): Promise<Policy> => {
    checkStatements(policy.statement);
    await change('policies', () => groups.policies[method](policy.id, policy));
    return policy;
  };

  return {
    mode,
    login,
    installationId,
    supports: feature => features[mode].includes(feature),

    setupState: () => installation.state(),
    setup: request => setUp(directory, installation, mode, request),
    setPreferences: preferences => installation.writePreferences(preferences),
    async createAdministrator(username, key) {
      await needPresets();
      return createAdministrator(directory, mode, username, key);
    },
    async promoteOwner(username, accessKeyId) {
      await needPresets();
      await promoteOwner(directory, mode, username, accessKeyId);
    },

    async logIn(key) {
      const admitted = await signIns.admit(key, { strict: true });
      if (!admitted) throw new SrvError('unauthenticated', 'error authenticating request');
      const { user, byAccessKey } = admitted;
      return { user, ...(await sessions.issue(user.username, byAccessKey ? { accessKeyId: key.accessKeyId } : {})) };
    },
    issueToken: (username, duration) => sessions.issue(username, duration === undefined ? {} : { duration }),
    async revokeSessions(username) {
      await users.get(username);
      await sessions.revoke(username);
      await signIns.forget();
    },
    visibility,

    async createUser(user) {
      refusePercent('User', user.username);
      return directory.createUser(user);
    },
    getUser: username => users.get(username),
    listUsers: page => users.page(page),
    async deleteUser(username) {
      await directory.deleteUser(username);
      // The next user of that name must not inherit sessions.
      await sessions.revoke(username);
      await signIns.forget();
    },

    createCredential: (username, key) => directory.createCredential(username, key),
    async getCredential(username, accessKeyId) {
      await users.get(username);
      return credentials.get(await users.place(username), accessKeyId);
    },
    async listCredentials(username, page) {
      await users.get(username);
      return credentials.page(await users.place(username), page);
    },
    deleteCredential: (username, accessKeyId) => directory.deleteCredential(username, accessKeyId),

    async createGroup(id, description) {
      needs('groups');
      refusePercent('Group', id);
      const group = { id, createdAt: new Date(), ...(description === undefined ? {} : { description }) };
      await groups.groups.create(id, group);
      return group;
    },
    async getGroup(id) {
      needs('groups');
      return groups.groups.get(id);
    },
    async listGroups(page) {
      needs('groups');
      return groups.groups.page(page);
    },
    deleteGroup: id =>
      change('groups', async () => {
        await groups.groups.get(id);
        await groups.deleteGroup(id);
      }),
    addMember: (group, username) =>
      change('groups', async () => {
        await groups.groups.get(group);
        await users.get(username);
        await groups.members.add(group, username);
      }),
    removeMember: (group, username) =>
      change('groups', async () => {
        await groups.groups.get(group);
        await users.get(username);
        await groups.members.remove(group, username);
      }),
    async listMembers(group, page = {}) {
      needs('groups');
      await groups.groups.get(group);
      return groups.members.page(group, page, username => users.find(username));
    },
    async listUserGroups(username, { prefix = '', after = '', amount = 100 } = {}) {
      needs('groups');
      await users.get(username);
      const names: string[] = [];
      for await (const name of groups.groupsOf(username)) if (name.startsWith(prefix) && (after === '' || name > after)) names.push(name);
      const found = (await Promise.all(names.slice(0, amount).map(name => groups.groups.find(name)))).filter(group => group !== undefined);
      return pageOf(found, names.length > amount, ({ id }) => id);
    },

    async createPolicy(id, statement, acl) {
      needs('policies');
      refusePercent('Policy', id);
      return storePolicy({ id, createdAt: new Date(), statement, ...(acl === undefined ? {} : { acl }) }, 'create');
    },
    async getPolicy(id) {
      needs('policies');
      return groups.policies.get(id);
    },
    async listPolicies(page) {
      needs('policies');
      return groups.policies.page(page);
    },
    async updatePolicy(id, statement, acl) {
      needs('policies');
      await groups.policies.get(id);
      return storePolicy({ id, createdAt: new Date(), statement, ...(acl === undefined ? {} : { acl }) }, 'replace');
    },
    deletePolicy: id =>
      change('policies', async () => {
        await groups.policies.get(id);
        await groups.deletePolicy(id, directory.usernames());
      }),
    attachToUser: (username, policy) =>
      change('policies', async () => {
        await users.get(username);
        await groups.policies.get(policy);
        await groups.userPolicies.add(username, policy);
      }),
    detachFromUser: (username, policy) =>
      change('policies', async () => {
        await users.get(username);
        await groups.policies.get(policy);
        await groups.userPolicies.remove(username, policy);
      }),
    async listUserPolicies(username, { effective = false, ...page } = {}) {
      needs('policies');
      await users.get(username);
      if (!effective) return groups.userPolicies.page(username, page, name => groups.policies.find(name));
      const { prefix = '', after = '', amount = 100 } = page;
      const all = (await groups.effectivePolicies(username)).filter(({ id }) => id.startsWith(prefix) && (after === '' || id > after));
      return pageOf(all.slice(0, amount), all.length > amount, ({ id }) => id);
    },
    attachToGroup: (group, policy) =>
      change('policies', async () => {
        await groups.groups.get(group);
        await groups.policies.get(policy);
        await groups.groupPolicies.add(group, policy);
      }),
    detachFromGroup: (group, policy) =>
      change('policies', async () => {
        await groups.groups.get(group);
        await groups.policies.get(policy);
        await groups.groupPolicies.remove(group, policy);
      }),
    async listGroupPolicies(group, page = {}) {
      needs('policies');
      await groups.groups.get(group);
      return groups.groupPolicies.page(group, page, name => groups.policies.find(name));
    },

    async getGroupAcl(group) {
      needs('acls');
      return getAcl(groups, group);
    },
    async setGroupAcl(group, permission) {
      const parsed = parseAclPermission(permission);
      await change('acls', () => setAcl(groups, group, parsed));
    },
  };
}

/** `%` in a name breaks clients that put names into paths. The text is one they compare. */
function refusePercent(kind: string, name: string): void {
  if (name.includes('%')) throw new SrvError('invalid', `${kind} name cannot contain '%'`);
}

function pageOf<T>(results: readonly T[], hasMore: boolean, nameOf: (item: T) => string) {
  const last = results.at(-1);
  return { results, hasMore, nextOffset: hasMore && last !== undefined ? nameOf(last) : '' };
}

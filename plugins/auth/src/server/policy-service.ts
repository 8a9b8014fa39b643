/** Policies and what they are attached to, as the service `auth` shows them. */
import { checkNewName, checkStatements } from '@srv/lib-auth';
import { readPage } from './storage/listing.js';
import type { AuthService, Policy } from '../contract.js';
import type { Directory } from './directory/directory.js';
import type { ModeFeatures } from './mode-features.js';

export function createPolicyService(directory: Directory, features: ModeFeatures) {
  const { groups } = directory;
  const storePolicy = async (policy: Policy, method: 'create' | 'replace'): Promise<Policy> => {
    checkStatements(policy.statement);
    await features.change('policies', () => groups.policies[method](policy.id, policy));
    return policy;
  };
  return {
    async createPolicy(id, statement, acl) {
      features.need('policies');
      checkNewName('Policy', id);
      return storePolicy({ id, createdAt: new Date(), statement, acl }, 'create');
    },
    async getPolicy(id) {
      features.need('policies');
      return groups.policies.get(id);
    },
    async listPolicies(page) {
      features.need('policies');
      return groups.policies.page(page);
    },
    async updatePolicy(id, statement, acl) {
      features.need('policies');
      await groups.policies.get(id);
      return storePolicy({ id, createdAt: new Date(), statement, acl }, 'replace');
    },
    deletePolicy: id => features.change('policies', () => groups.deletePolicy(id, directory.usernames())),
  } satisfies Partial<AuthService>;
}

/** Policies of users and groups. */
export function createAttachmentService(directory: Directory, features: ModeFeatures) {
  const { users, groups } = directory;
  return {
    attachToUser: (username, policy) => features.change('policies', () => directory.attachToUser(username, policy)),
    detachFromUser: (username, policy) =>
      features.change('policies', async () => {
        await users.get(username);
        await groups.policies.get(policy);
        await groups.userPolicies.remove(username, policy);
      }),
    async listUserPolicies(username, { effective = false, ...page } = {}) {
      // Permissions of groups are policies, too.
      features.need(effective ? 'groups' : 'policies');
      await users.get(username);
      if (!effective) return groups.userPolicies.page(username, page, name => groups.policies.find(name));
      return readPage(
        () => groups.namedPolicies(username),
        page,
        ({ policy }) => policy,
      );
    },
    attachToGroup: (group, policy) => features.change('policies', () => groups.attach(group, policy)),
    detachFromGroup: (group, policy) =>
      features.change('policies', async () => {
        await groups.groups.get(group);
        await groups.policies.get(policy);
        await groups.groupPolicies.remove(group, policy);
      }),
    async listGroupPolicies(group, page = {}) {
      features.need('policies');
      await groups.groups.get(group);
      return groups.groupPolicies.page(group, page, name => groups.policies.find(name));
    },
  } satisfies Partial<AuthService>;
}

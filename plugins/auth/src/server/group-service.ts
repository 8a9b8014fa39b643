/** Groups, their members and ACLs, as the service `auth` shows them. */

import { checkNewName } from '@srv/lib-auth';
import { getAcl, parseAclPermission, setAcl } from './directory/acl.js';
import { readPage } from './storage/listing.js';
import type { AuthService } from '../contract.js';
import type { Directory } from './directory/directory.js';
import type { ModeFeatures } from './mode-features.js';

export function createGroupService(directory: Directory, features: ModeFeatures) {
  const { users, groups } = directory;
  return {
    async createGroup(id, description) {
      features.need('groups');
      checkNewName('Group', id);
      const group = { id, createdAt: new Date(), description };
      await groups.groups.create(id, group);
      return group;
    },
    async getGroup(id) {
      features.need('groups');
      return groups.groups.get(id);
    },
    async listGroups(page) {
      features.need('groups');
      return groups.groups.page(page);
    },
    deleteGroup: id => features.change('groups', () => groups.deleteGroup(id)),
    addMember: (group, username) => features.change('groups', () => directory.addMember(group, username)),
    removeMember: (group, username) =>
      features.change('groups', async () => {
        await groups.groups.get(group);
        await users.get(username);
        await groups.members.remove(group, username);
      }),
    async listMembers(group, page = {}) {
      features.need('groups');
      await groups.groups.get(group);
      return groups.members.page(group, page, username => users.find(username));
    },
    async listUserGroups(username, page = {}) {
      features.need('groups');
      await users.get(username);
      return readPage(
        () => groups.groupsOf(username),
        page,
        ({ name }) => groups.groups.find(name),
      );
    },

    async getGroupAcl(group) {
      features.need('acls');
      return getAcl(groups, group);
    },
    async setGroupAcl(group, permission) {
      const parsed = parseAclPermission(permission);
      await features.change('acls', () => setAcl(groups, group, parsed));
    },
  } satisfies Partial<AuthService>;
}

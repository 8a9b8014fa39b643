/** Groups and their members over an external authorization service. */
import { checkNewName } from '@srv/lib-auth';
import { decodeGroup, wireGroup } from '@srv/lib-auth/authorization';
import { readPage } from './read-page.js';
import { groupPath, noGroup, noUser, userPath } from './relations.js';
import { users } from './user-service.js';
import type { AuthService, Group } from '@srv/auth/contract';
import type { Relations } from './relations.js';
import type { ServiceClient } from './service-client.js';

const groups = { item: wireGroup, decode: decodeGroup, nameOf: ({ id }: Group) => id };
const noMember = 'group or user not found';

export function createGroupService(service: ServiceClient, relations: Relations) {
  const membersPath = (id: string) => [...groupPath(id), 'members'];
  return {
    async createGroup(id, description) {
      checkNewName('Group', id);
      const body = { id, description };
      return decodeGroup(await service.read(wireGroup, { method: 'POST', path: ['auth', 'groups'], expect: 201, body }));
    },
    getGroup: async id => decodeGroup(await service.read(wireGroup, { method: 'GET', path: groupPath(id), expect: 200, missing: noGroup })),
    listGroups: request => readPage(service, { ...groups, path: ['auth', 'groups'] }, request),
    deleteGroup: id => relations.change({ method: 'DELETE', path: groupPath(id), expect: 204, missing: noGroup }),
    addMember: (id, username) => relations.add([...membersPath(id), username], noMember),
    removeMember: (id, username) => relations.remove([...membersPath(id), username], noMember),
    listMembers: (id, request) => readPage(service, { ...users, path: membersPath(id), missing: noGroup }, request),
    listUserGroups: (username, request) =>
      readPage(service, { ...groups, path: [...userPath(username), 'groups'], missing: noUser }, request),
  } satisfies Partial<AuthService>;
}

/** Groups, their members and their permission. */

import { SrvError, isSrvError } from '@srv/kernel';
import {
  all,
  empty,
  everything,
  groupArn,
  json,
  listOf,
  may,
  operation,
  optional,
  pageRequest,
  policyArn,
  presentUser,
  record,
  reply,
  text,
  user,
} from '@srv/lib-api';
import { onlyActive, userPaging } from './active-filter.js';
import { has } from './features.js';
import { groupId, userId } from './ids.js';
import { addition, creation, listing, reading, removal } from './kinds.js';
import { authPage } from './page.js';
import { presentGroup } from './present.js';
import { group } from './wire.js';

const params = { groupId };
const acl = record({ permission: text() });
/** Name of the policy that implements a group's permission, as used in permissions on it. */
const aclPolicy = (group: string): string => policyArn(`ACL(_-_)${group}`);

export const groupOperations = {
  listGroups: operation({
    operationId: 'listGroups',
    ...listing,
    path: '/auth/groups',
    summary: 'Groups by name',
    supported: has('groups'),
    result: json(listOf(group)),
    failures: [501],
    permission: () => may('auth:ListGroups', everything),
    handler: async ({ services }, input) => authPage(await services.get('auth').listGroups(pageRequest(input)), presentGroup),
  }),

  createGroup: operation({
    operationId: 'createGroup',
    ...creation,
    path: '/auth/groups',
    summary: 'Create a group',
    supported: has('groups'),
    body: record({ id: text(), description: optional(text()) }),
    result: json(group),
    failures: [409, 501],
    permission: ({ body }) => may('auth:CreateGroup', groupArn(body.id)),
    handler: async ({ services }, { body }) => presentGroup(await services.get('auth').createGroup(body.id, body.description)),
  }),

  getGroup: operation({
    operationId: 'getGroup',
    ...reading,
    path: '/auth/groups/{groupId}',
    summary: 'One group',
    supported: has('groups'),
    params,
    result: json(group),
    failures: [404, 501],
    permission: input => may('auth:ReadGroup', groupArn(input.groupId)),
    handler: async ({ services }, input) => presentGroup(await services.get('auth').getGroup(input.groupId)),
  }),

  deleteGroup: operation({
    operationId: 'deleteGroup',
    ...removal,
    path: '/auth/groups/{groupId}',
    summary: 'Delete a group; its members stay',
    supported: has('groups'),
    params,
    failures: [404, 501],
    permission: input => may('auth:DeleteGroup', groupArn(input.groupId)),
    handler: ({ services }, input) => services.get('auth').deleteGroup(input.groupId),
  }),

  listGroupMembers: operation({
    operationId: 'listGroupMembers',
    ...listing,
    path: '/auth/groups/{groupId}/members',
    summary: 'Members of a group; with `active`, those of a page that are, or are not',
    query: userPaging,
    supported: has('groups'),
    params,
    result: json(listOf(user)),
    failures: [404, 501],
    permission: input => may('auth:ReadGroup', groupArn(input.groupId)),
    handler: async ({ services }, input) =>
      authPage(onlyActive(await services.get('auth').listMembers(input.groupId, pageRequest(input)), input.active), presentUser),
  }),

  addGroupMembership: operation({
    operationId: 'addGroupMembership',
    ...addition,
    path: '/auth/groups/{groupId}/members/{userId}',
    summary: 'Add a member to a group',
    supported: has('groups'),
    params: { groupId, userId },
    failures: [404, 409, 501],
    permission: input => may('auth:AddGroupMember', groupArn(input.groupId)),
    handler: ({ services }, input) => services.get('auth').addMember(input.groupId, input.userId),
  }),

  deleteGroupMembership: operation({
    operationId: 'deleteGroupMembership',
    ...removal,
    path: '/auth/groups/{groupId}/members/{userId}',
    summary: 'Remove a member from a group',
    supported: has('groups'),
    params: { groupId, userId },
    failures: [404, 501],
    permission: input => may('auth:RemoveGroupMember', groupArn(input.groupId)),
    handler: ({ services }, input) => services.get('auth').removeMember(input.groupId, input.userId),
  }),

  setGroupACL: operation({
    operationId: 'setGroupACL',
    ...creation,
    path: '/auth/groups/{groupId}/acl',
    summary: 'Give a group one of the permissions Read, Write, Super and Admin',
    params,
    body: acl,
    result: empty,
    failures: [404, 501],
    permission: ({ groupId }) =>
      all(
        may('auth:ReadGroup', groupArn(groupId)),
        may('auth:AttachPolicy', aclPolicy(groupId)),
        may('auth:UpdatePolicy', aclPolicy(groupId)),
      ),
    handler: ({ services }, input) => services.get('auth').setGroupAcl(input.groupId, input.body.permission),
  }),

  getGroupACL: operation({
    operationId: 'getGroupACL',
    ...reading,
    path: '/auth/groups/{groupId}/acl',
    summary: 'The permission of a group',
    params,
    result: json(acl),
    failures: [404, 501],
    permission: ({ groupId }) => all(may('auth:ReadGroup', groupArn(groupId)), may('auth:ReadPolicy', aclPolicy(groupId))),
    async handler({ services }, input) {
      try {
        return { permission: (await services.get('auth').getGroupAcl(input.groupId)) ?? '' };
      } catch (error) {
        // Distinguishes a group without a permission from a group that does not exist.
        if (isSrvError(error, 'not_found') && error instanceof SrvError && error.details.no_acl === true) {
          return reply({ status: 404, body: { message: error.message, no_acl: true } });
        }
        throw error;
      }
    },
  }),
};

/** Policies, and who they are attached to. */

import { SrvError } from '@srv/kernel';
import {
  everything,
  flag,
  groupArn,
  json,
  listOf,
  may,
  operation,
  pageRequest,
  paging,
  policyArn,
  userArn,
  withDefault,
} from '@srv/lib-api';
import { has } from './features.js';
import { groupId, policyId, userId } from './ids.js';
import { addition, creation, listing, reading, removal } from './kinds.js';
import { authPage } from './page.js';
import { presentPolicy } from './present.js';
import { policy } from './wire.js';

export const policyOperations = {
  listPolicies: operation({
    operationId: 'listPolicies',
    ...listing,
    path: '/auth/policies',
    summary: 'Policies by name',
    supported: has('policies'),
    result: json(listOf(policy)),
    failures: [501],
    permission: () => may('auth:ListPolicies', everything),
    handler: async ({ services }, input) => authPage(await services.get('auth').listPolicies(pageRequest(input)), presentPolicy),
  }),

  createPolicy: operation({
    operationId: 'createPolicy',
    ...creation,
    path: '/auth/policies',
    summary: 'Create a policy',
    supported: has('policies'),
    body: policy,
    result: json(policy),
    failures: [409, 501],
    permission: ({ body }) => may('auth:CreatePolicy', policyArn(body.id)),
    handler: async ({ services }, { body }) => presentPolicy(await services.get('auth').createPolicy(body.id, body.statement)),
  }),

  getPolicy: operation({
    operationId: 'getPolicy',
    ...reading,
    path: '/auth/policies/{policyId}',
    summary: 'One policy',
    supported: has('policies'),
    params: { policyId },
    result: json(policy),
    failures: [404, 501],
    permission: input => may('auth:ReadPolicy', policyArn(input.policyId)),
    handler: async ({ services }, input) => presentPolicy(await services.get('auth').getPolicy(input.policyId)),
  }),

  updatePolicy: operation({
    operationId: 'updatePolicy',
    method: 'PUT',
    path: '/auth/policies/{policyId}',
    tag: 'auth',
    summary: 'Replace the statements of a policy',
    supported: has('policies'),
    params: { policyId },
    body: policy,
    status: 200,
    result: json(policy),
    failures: [404, 501],
    permission: input => may('auth:UpdatePolicy', policyArn(input.policyId)),
    async handler({ services }, { policyId, body }) {
      if (body.id !== policyId) throw new SrvError('invalid', "can't update policy id");
      return presentPolicy(await services.get('auth').updatePolicy(policyId, body.statement));
    },
  }),

  deletePolicy: operation({
    operationId: 'deletePolicy',
    ...removal,
    path: '/auth/policies/{policyId}',
    summary: 'Delete a policy and its attachments',
    supported: has('policies'),
    params: { policyId },
    failures: [404, 501],
    permission: input => may('auth:DeletePolicy', policyArn(input.policyId)),
    handler: ({ services }, input) => services.get('auth').deletePolicy(input.policyId),
  }),

  listUserPolicies: operation({
    operationId: 'listUserPolicies',
    ...reading,
    path: '/auth/users/{userId}/policies',
    summary: 'Policies attached to a user; with `effective`, those of its groups too',
    supported: has('policies'),
    params: { userId },
    query: { ...paging, effective: withDefault(flag(), false) },
    result: json(listOf(policy)),
    failures: [404, 501],
    permission: input => may('auth:ReadUser', userArn(input.userId)),
    handler: async ({ services }, input) =>
      authPage(
        await services.get('auth').listUserPolicies(input.userId, { ...pageRequest(input), effective: input.effective }),
        presentPolicy,
      ),
  }),

  attachPolicyToUser: operation({
    operationId: 'attachPolicyToUser',
    ...addition,
    path: '/auth/users/{userId}/policies/{policyId}',
    summary: 'Attach a policy to a user',
    supported: has('policies'),
    params: { userId, policyId },
    failures: [404, 409, 501],
    permission: input => may('auth:AttachPolicy', userArn(input.userId)),
    handler: ({ services }, input) => services.get('auth').attachToUser(input.userId, input.policyId),
  }),

  detachPolicyFromUser: operation({
    operationId: 'detachPolicyFromUser',
    ...removal,
    path: '/auth/users/{userId}/policies/{policyId}',
    summary: 'Detach a policy from a user',
    supported: has('policies'),
    params: { userId, policyId },
    failures: [404, 501],
    permission: input => may('auth:DetachPolicy', userArn(input.userId)),
    handler: ({ services }, input) => services.get('auth').detachFromUser(input.userId, input.policyId),
  }),

  listGroupPolicies: operation({
    operationId: 'listGroupPolicies',
    ...listing,
    path: '/auth/groups/{groupId}/policies',
    summary: 'Policies attached to a group',
    supported: has('policies'),
    params: { groupId },
    result: json(listOf(policy)),
    failures: [404, 501],
    permission: input => may('auth:ReadGroup', groupArn(input.groupId)),
    handler: async ({ services }, input) =>
      authPage(await services.get('auth').listGroupPolicies(input.groupId, pageRequest(input)), presentPolicy),
  }),

  attachPolicyToGroup: operation({
    operationId: 'attachPolicyToGroup',
    ...addition,
    path: '/auth/groups/{groupId}/policies/{policyId}',
    summary: 'Attach a policy to a group',
    supported: has('policies'),
    params: { groupId, policyId },
    failures: [404, 409, 501],
    permission: input => may('auth:AttachPolicy', groupArn(input.groupId)),
    handler: ({ services }, input) => services.get('auth').attachToGroup(input.groupId, input.policyId),
  }),

  detachPolicyFromGroup: operation({
    operationId: 'detachPolicyFromGroup',
    ...removal,
    path: '/auth/groups/{groupId}/policies/{policyId}',
    summary: 'Detach a policy from a group',
    supported: has('policies'),
    params: { groupId, policyId },
    failures: [404, 501],
    permission: input => may('auth:DetachPolicy', groupArn(input.groupId)),
    handler: ({ services }, input) => services.get('auth').detachFromGroup(input.groupId, input.policyId),
  }),
};

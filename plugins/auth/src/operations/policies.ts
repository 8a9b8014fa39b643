/** Policies, and who they are attached to. */
import { has } from './features.js';
import {
  empty,
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
  text,
  userArn,
  withDefault,
} from '@srv/lib-operations';
import { policy } from './wire.js';
import type { WireStatement } from './wire.js';
import { SrvError } from '@srv/kernel';
import { authPage } from './page.js';
import { presentPolicy } from './present.js';
import type { Statement } from '../contract.js';

const policyId = text({ filled: true, problem: 'policy id: required value: validation error' });
const groupId = text({ filled: true, problem: 'group id: required value: validation error' });
const userId = text({ filled: true, problem: 'user id: required value: validation error' });

/** Leaves out a condition that is not there, so that statements come back as they were sent. */
function statementsOf(statements: readonly WireStatement[]): Statement[] {
  return statements.map(({ condition, ...statement }) => ({ ...statement, ...(condition ? { condition } : {}) }));
}

export const policyOperations = {
  listPolicies: operation({
    operationId: 'listPolicies',
    method: 'GET',
    path: '/auth/policies',
    tag: 'auth',
    summary: 'Policies by name',
    supported: has('policies'),
    query: paging,
    status: 200,
    result: json(listOf(policy)),
    failures: [501],
    permission: () => may('auth:ListPolicies', everything),
    handler: async ({ services }, input) => authPage(await services.get('auth').listPolicies(pageRequest(input)), presentPolicy),
  }),

  createPolicy: operation({
    operationId: 'createPolicy',
    method: 'POST',
    path: '/auth/policies',
    tag: 'auth',
    summary: 'Create a policy',
    supported: has('policies'),
    body: policy,
    status: 201,
    result: json(policy),
    failures: [409, 501],
    permission: ({ body }) => may('auth:CreatePolicy', policyArn(body.id)),
    handler: async ({ services }, { body }) =>
      presentPolicy(await services.get('auth').createPolicy(body.id, statementsOf(body.statement))),
  }),

  getPolicy: operation({
    operationId: 'getPolicy',
    method: 'GET',
    path: '/auth/policies/{policyId}',
    tag: 'auth',
    summary: 'One policy',
    supported: has('policies'),
    params: { policyId },
    status: 200,
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
      return presentPolicy(await services.get('auth').updatePolicy(policyId, statementsOf(body.statement)));
    },
  }),

  deletePolicy: operation({
    operationId: 'deletePolicy',
    method: 'DELETE',
    path: '/auth/policies/{policyId}',
    tag: 'auth',
    summary: 'Delete a policy and its attachments',
    supported: has('policies'),
    params: { policyId },
    status: 204,
    result: empty,
    failures: [404, 501],
    permission: input => may('auth:DeletePolicy', policyArn(input.policyId)),
    handler: ({ services }, input) => services.get('auth').deletePolicy(input.policyId),
  }),

  listUserPolicies: operation({
    operationId: 'listUserPolicies',
    method: 'GET',
    path: '/auth/users/{userId}/policies',
    tag: 'auth',
    summary: 'Policies attached to a user; with `effective`, those of its groups too',
    supported: has('policies'),
    params: { userId },
    query: { ...paging, effective: withDefault(flag(), false) },
    status: 200,
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
    method: 'PUT',
    path: '/auth/users/{userId}/policies/{policyId}',
    tag: 'auth',
    summary: 'Attach a policy to a user',
    supported: has('policies'),
    params: { userId, policyId },
    status: 201,
    result: empty,
    failures: [404, 409, 501],
    permission: input => may('auth:AttachPolicy', userArn(input.userId)),
    handler: ({ services }, input) => services.get('auth').attachToUser(input.userId, input.policyId),
  }),

  detachPolicyFromUser: operation({
    operationId: 'detachPolicyFromUser',
    method: 'DELETE',
    path: '/auth/users/{userId}/policies/{policyId}',
    tag: 'auth',
    summary: 'Detach a policy from a user',
    supported: has('policies'),
    params: { userId, policyId },
    status: 204,
    result: empty,
    failures: [404, 501],
    permission: input => may('auth:DetachPolicy', userArn(input.userId)),
    handler: ({ services }, input) => services.get('auth').detachFromUser(input.userId, input.policyId),
  }),

  listGroupPolicies: operation({
    operationId: 'listGroupPolicies',
    method: 'GET',
    path: '/auth/groups/{groupId}/policies',
    tag: 'auth',
    summary: 'Policies attached to a group',
    supported: has('policies'),
    params: { groupId },
    query: paging,
    status: 200,
    result: json(listOf(policy)),
    failures: [404, 501],
    permission: input => may('auth:ReadGroup', groupArn(input.groupId)),
    handler: async ({ services }, input) =>
      authPage(await services.get('auth').listGroupPolicies(input.groupId, pageRequest(input)), presentPolicy),
  }),

  attachPolicyToGroup: operation({
    operationId: 'attachPolicyToGroup',
    method: 'PUT',
    path: '/auth/groups/{groupId}/policies/{policyId}',
    tag: 'auth',
    summary: 'Attach a policy to a group',
    supported: has('policies'),
    params: { groupId, policyId },
    status: 201,
    result: empty,
    failures: [404, 409, 501],
    permission: input => may('auth:AttachPolicy', groupArn(input.groupId)),
    handler: ({ services }, input) => services.get('auth').attachToGroup(input.groupId, input.policyId),
  }),

  detachPolicyFromGroup: operation({
    operationId: 'detachPolicyFromGroup',
    method: 'DELETE',
    path: '/auth/groups/{groupId}/policies/{policyId}',
    tag: 'auth',
    summary: 'Detach a policy from a group',
    supported: has('policies'),
    params: { groupId, policyId },
    status: 204,
    result: empty,
    failures: [404, 501],
    permission: input => may('auth:DetachPolicy', groupArn(input.groupId)),
    handler: ({ services }, input) => services.get('auth').detachFromGroup(input.groupId, input.policyId),
  }),
};

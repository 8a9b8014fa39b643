/** Users and their credentials. */
import { has } from './features.js';
import {
  empty,
  everything,
  flag,
  json,
  listOf,
  may,
  operation,
  optional,
  pageRequest,
  paging,
  presentUser,
  record,
  text,
  user,
  userArn,
} from '@srv/lib-operations';
import { credential, credentialWithSecret, group } from './wire.js';
import { SrvError } from '@srv/kernel';
import type { OperationContext } from '@srv/lib-operations';
import type { InvitationService } from '../contract.js';
import { authPage } from './page.js';
import { presentCredential, presentGroup, presentNewCredential } from './present.js';

const userId = text({ filled: true, problem: 'user id: required value: validation error' });
const accessKeyId = text({ filled: true, problem: 'access key id: required value: validation error' });
const params = { userId };

/** @throws SrvError `unsupported` where nothing sends invitations. */
function invitationsOf(services: OperationContext['services']): InvitationService {
  const found = services.find('invitations');
  if (!found) throw new SrvError('unsupported', 'Not Implemented: invitations need a mail server, see the email settings');
  return found;
}

export const userOperations = {
  listUsers: operation({
    operationId: 'listUsers',
    method: 'GET',
    path: '/auth/users',
    tag: 'auth',
    summary: 'Users by name',
    query: paging,
    status: 200,
    result: json(listOf(user)),
    permission: () => may('auth:ListUsers', everything),
    handler: async ({ services }, input) => authPage(await services.get('auth').listUsers(pageRequest(input)), presentUser),
  }),

  createUser: operation({
    operationId: 'createUser',
    method: 'POST',
    path: '/auth/users',
    tag: 'auth',
    summary: 'Create a user',
    body: record({ id: text(), invite_user: optional(flag()) }),
    status: 201,
    result: json(user),
    failures: [400, 409, 501, 503],
    permission: ({ body }) => may('auth:CreateUser', userArn(body.invite_user ? body.id.toLowerCase() : body.id)),
    async handler({ services }, { body }) {
      if (body.invite_user) return presentUser(await invitationsOf(services).invite(body.id));
      const { username, createdAt } = await services.get('auth').createUser({ username: body.id });
      return presentUser({ username, createdAt });
    },
  }),

  getUser: operation({
    operationId: 'getUser',
    method: 'GET',
    path: '/auth/users/{userId}',
    tag: 'auth',
    summary: 'One user',
    params,
    status: 200,
    result: json(user),
    failures: [404],
    permission: input => may('auth:ReadUser', userArn(input.userId)),
    handler: async ({ services }, input) => presentUser(await services.get('auth').getUser(input.userId)),
  }),

  deleteUser: operation({
    operationId: 'deleteUser',
    method: 'DELETE',
    path: '/auth/users/{userId}',
    tag: 'auth',
    summary: 'Delete a user with its credentials',
    params,
    status: 204,
    result: empty,
    failures: [404],
    permission: input => may('auth:DeleteUser', userArn(input.userId)),
    handler: ({ services }, input) => services.get('auth').deleteUser(input.userId),
  }),

  listUserCredentials: operation({
    operationId: 'listUserCredentials',
    method: 'GET',
    path: '/auth/users/{userId}/credentials',
    tag: 'auth',
    summary: 'Access keys of a user, without secrets',
    params,
    query: paging,
    status: 200,
    result: json(listOf(credential)),
    failures: [404],
    permission: input => may('auth:ListCredentials', userArn(input.userId)),
    handler: async ({ services }, input) =>
      authPage(await services.get('auth').listCredentials(input.userId, pageRequest(input)), presentCredential),
  }),

  createCredentials: operation({
    operationId: 'createCredentials',
    method: 'POST',
    path: '/auth/users/{userId}/credentials',
    tag: 'auth',
    summary: 'Make an access key; its secret is shown this once',
    params,
    status: 201,
    result: json(credentialWithSecret),
    failures: [404],
    permission: input => may('auth:CreateCredentials', userArn(input.userId)),
    handler: async ({ services }, input) => presentNewCredential(await services.get('auth').createCredential(input.userId)),
  }),

  getCredentials: operation({
    operationId: 'getCredentials',
    method: 'GET',
    path: '/auth/users/{userId}/credentials/{accessKeyId}',
    tag: 'auth',
    summary: 'One access key, without its secret',
    params: { userId, accessKeyId },
    status: 200,
    result: json(credential),
    failures: [404],
    permission: input => may('auth:ReadCredentials', userArn(input.userId)),
    handler: async ({ services }, input) => presentCredential(await services.get('auth').getCredential(input.userId, input.accessKeyId)),
  }),

  deleteCredentials: operation({
    operationId: 'deleteCredentials',
    method: 'DELETE',
    path: '/auth/users/{userId}/credentials/{accessKeyId}',
    tag: 'auth',
    summary: 'Delete an access key',
    params: { userId, accessKeyId },
    status: 204,
    result: empty,
    failures: [404],
    permission: input => may('auth:DeleteCredentials', userArn(input.userId)),
    handler: ({ services }, input) => services.get('auth').deleteCredential(input.userId, input.accessKeyId),
  }),

  listUserGroups: operation({
    operationId: 'listUserGroups',
    method: 'GET',
    path: '/auth/users/{userId}/groups',
    tag: 'auth',
    summary: 'Groups a user is in',
    supported: has('groups'),
    params,
    query: paging,
    status: 200,
    result: json(listOf(group)),
    failures: [404, 501],
    permission: input => may('auth:ReadUser', userArn(input.userId)),
    handler: async ({ services }, input) =>
      authPage(await services.get('auth').listUserGroups(input.userId, pageRequest(input)), presentGroup),
  }),
};

/** Users and their credentials. */
import { SrvError } from '@srv/kernel';
import { empty, json, operation } from '../operation.js';
import { everything, may, userArn } from '../permissions.js';
import { flag, optional, record, text } from '../schema/field.js';
import { listOf, pageRequest, paging } from '../schema/paging.js';
import { credential, credentialWithSecret, group, user } from '../schema/wire.js';
import { authPage } from './auth-page.js';
import { presentCredential, presentGroup, presentNewCredential, presentUser } from './auth-present.js';

const userId = text({ filled: true, problem: 'user id: required value: validation error' });
const accessKeyId = text({ filled: true, problem: 'access key id: required value: validation error' });
const params = { userId };

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
    handler: async ({ auth }, input) => authPage(await auth.listUsers(pageRequest(input)), presentUser),
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
    failures: [409, 501],
    permission: ({ body }) => may('auth:CreateUser', userArn(body.invite_user ? body.id.toLowerCase() : body.id)),
    async handler({ auth }, { body }) {
      if (body.invite_user) throw new SrvError('unsupported', 'Not Implemented: invitations need a mail server, see the email settings');
      const { username, createdAt } = await auth.createUser({ username: body.id });
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
    handler: async ({ auth }, input) => presentUser(await auth.getUser(input.userId)),
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
    handler: ({ auth }, input) => auth.deleteUser(input.userId),
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
    handler: async ({ auth }, input) => authPage(await auth.listCredentials(input.userId, pageRequest(input)), presentCredential),
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
    handler: async ({ auth }, input) => presentNewCredential(await auth.createCredential(input.userId)),
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
    handler: async ({ auth }, input) => presentCredential(await auth.getCredential(input.userId, input.accessKeyId)),
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
    handler: ({ auth }, input) => auth.deleteCredential(input.userId, input.accessKeyId),
  }),

  listUserGroups: operation({
    operationId: 'listUserGroups',
    method: 'GET',
    path: '/auth/users/{userId}/groups',
    tag: 'auth',
    summary: 'Groups a user is in',
    feature: 'groups',
    params,
    query: paging,
    status: 200,
    result: json(listOf(group)),
    failures: [404, 501],
    permission: input => may('auth:ReadUser', userArn(input.userId)),
    handler: async ({ auth }, input) => authPage(await auth.listUserGroups(input.userId, pageRequest(input)), presentGroup),
  }),
};

/** Users and their credentials. */

import { SrvError } from '@srv/kernel';
import {
  everything,
  flag,
  json,
  listOf,
  may,
  operation,
  optional,
  pageRequest,
  presentUser,
  record,
  text,
  user,
  userArn,
} from '@srv/lib-api';
import { onlyActive, userPaging } from './active-filter.js';
import { has } from './features.js';
import { accessKeyId, userId } from './ids.js';
import { creation, listing, reading, removal } from './kinds.js';
import { authPage } from './page.js';
import { presentCredential, presentGroup, presentNewCredential } from './present.js';
import { credential, credentialWithSecret, group } from './wire.js';
import type { OperationContext } from '@srv/lib-api';
import type { AccountService, InvitationService } from '../contract.js';

const params = { userId };

/** Name of the user that a request creates: permissions are on this text, and it is the one passed on. */
const newName = ({ id, invite_user: isInvited }: { readonly id: string; readonly invite_user?: boolean | undefined }): string =>
  isInvited ? id.toLowerCase() : id;

/** @throws SrvError `unsupported` where nothing sends invitations. */
function invitationsOf(services: OperationContext['services']): InvitationService {
  const found = services.find('invitations');
  if (!found) throw new SrvError('unsupported', 'Not Implemented: invitations need a mail server, see the email settings');
  return found;
}

/** @throws SrvError `unsupported` where users are another service's. */
function accountsOf(services: OperationContext['services']): AccountService {
  const found = services.find('accounts');
  if (!found) throw new SrvError('unsupported', 'Not Implemented: external_id');
  return found;
}

export const userOperations = {
  listUsers: operation({
    operationId: 'listUsers',
    ...listing,
    path: '/auth/users',
    summary: 'Users by name; with `active`, those of a page that are, or are not',
    query: userPaging,
    result: json(listOf(user)),
    permission: () => may('auth:ListUsers', everything),
    handler: async ({ services }, input) =>
      authPage(onlyActive(await services.get('auth').listUsers(pageRequest(input)), input.active), presentUser),
  }),

  createUser: operation({
    operationId: 'createUser',
    ...creation,
    path: '/auth/users',
    summary: 'Create a user',
    body: record({ id: text(), invite_user: optional(flag()), external_id: optional(text({ filled: true })) }),
    result: json(user),
    failures: [400, 409, 501, 503],
    permission: ({ body }) => may('auth:CreateUser', userArn(newName(body))),
    async handler({ services }, { body }) {
      if (body.invite_user) return presentUser(await invitationsOf(services).invite(newName(body)));
      const { id, external_id: externalId } = body;
      if (externalId !== undefined) return presentUser(await accountsOf(services).createAccount({ username: id, externalId }));
      const { username, createdAt } = await services.get('auth').createUser({ username: id });
      return presentUser({ username, createdAt });
    },
  }),

  getUser: operation({
    operationId: 'getUser',
    ...reading,
    path: '/auth/users/{userId}',
    summary: 'One user',
    params,
    result: json(user),
    failures: [404],
    permission: input => may('auth:ReadUser', userArn(input.userId)),
    handler: async ({ services }, input) => presentUser(await services.get('auth').getUser(input.userId)),
  }),

  deleteUser: operation({
    operationId: 'deleteUser',
    ...removal,
    path: '/auth/users/{userId}',
    summary: 'Delete a user with its credentials',
    params,
    failures: [404],
    permission: input => may('auth:DeleteUser', userArn(input.userId)),
    handler: ({ services }, input) => services.get('auth').deleteUser(input.userId),
  }),

  listUserCredentials: operation({
    operationId: 'listUserCredentials',
    ...listing,
    path: '/auth/users/{userId}/credentials',
    summary: 'Access keys of a user, without secrets',
    params,
    result: json(listOf(credential)),
    failures: [404],
    permission: input => may('auth:ListCredentials', userArn(input.userId)),
    handler: async ({ services }, input) =>
      authPage(await services.get('auth').listCredentials(input.userId, pageRequest(input)), presentCredential),
  }),

  createCredentials: operation({
    operationId: 'createCredentials',
    ...creation,
    path: '/auth/users/{userId}/credentials',
    summary: 'Make an access key; its secret is shown this once',
    params,
    result: json(credentialWithSecret),
    failures: [404],
    permission: input => may('auth:CreateCredentials', userArn(input.userId)),
    handler: async ({ services }, input) => presentNewCredential(await services.get('auth').createCredential(input.userId)),
  }),

  getCredentials: operation({
    operationId: 'getCredentials',
    ...reading,
    path: '/auth/users/{userId}/credentials/{accessKeyId}',
    summary: 'One access key, without its secret',
    params: { userId, accessKeyId },
    result: json(credential),
    failures: [404],
    permission: input => may('auth:ReadCredentials', userArn(input.userId)),
    handler: async ({ services }, input) => presentCredential(await services.get('auth').getCredential(input.userId, input.accessKeyId)),
  }),

  deleteCredentials: operation({
    operationId: 'deleteCredentials',
    ...removal,
    path: '/auth/users/{userId}/credentials/{accessKeyId}',
    summary: 'Delete an access key',
    params: { userId, accessKeyId },
    failures: [404],
    permission: input => may('auth:DeleteCredentials', userArn(input.userId)),
    handler: ({ services }, input) => services.get('auth').deleteCredential(input.userId, input.accessKeyId),
  }),

  revokeSessions: operation({
    operationId: 'revokeSessions',
    ...removal,
    path: '/auth/users/{userId}/sessions',
    summary: 'End all sessions of a user; its access keys keep working',
    params,
    failures: [404],
    permission: input => may('auth:DeleteCredentials', userArn(input.userId)),
    handler: ({ services }, input) => services.get('auth').revokeSessions(input.userId),
  }),

  listUserGroups: operation({
    operationId: 'listUserGroups',
    ...listing,
    path: '/auth/users/{userId}/groups',
    summary: 'Groups a user is in',
    supported: has('groups'),
    params,
    result: json(listOf(group)),
    failures: [404, 501],
    permission: input => may('auth:ReadUser', userArn(input.userId)),
    handler: async ({ services }, input) =>
      authPage(await services.get('auth').listUserGroups(input.userId, pageRequest(input)), presentGroup),
  }),
};

/** Principals of other services, and logins by them. */

import { SrvError } from '@srv/kernel';
import {
  empty,
  externalPrincipalArn,
  integer,
  json,
  listOf,
  may,
  operation,
  optional,
  pageRequest,
  paging,
  presentPage,
  record,
  reply,
  text,
  toSeconds,
  userArn,
} from '@srv/lib-api';
import Joi from 'joi';
import type { ExternalPrincipal } from '@srv/auth/contract';
import type { LoginToken } from '@srv/kernel';
import type { Field, OperationContext } from '@srv/lib-api';
import type {} from './contract.js';

const anything: Field<Readonly<Record<string, unknown>>> = Joi.object().unknown(true).required();
const userId = text({ filled: true, problem: 'user id: required value: validation error' });
const principalId = text({ filled: true, problem: 'principal id: required value: validation error' });
const principal = record({ id: text(), user_id: text(), settings: optional(anything) });
const token = record({ token: text(), token_expiration: optional(integer()) });

/** Any principal: the permission knows no single one. */
const isOffered = ({ services }: OperationContext): boolean => services.find('principals') !== undefined;
const present = ({ id, username }: ExternalPrincipal) => ({ id, user_id: username });
const presentToken = ({ token: text, expiresAt }: LoginToken) => ({ token: text, token_expiration: toSeconds(expiresAt) });

/** Seconds a login by STS lasts. */
const stsDefault = 3600;
const stsLongest = 43_200;

/** Operations by id. */
export type PrincipalOperations = typeof principalOperations;

export const principalOperations = {
  createUserExternalPrincipal: operation({
    operationId: 'createUserExternalPrincipal',
    method: 'POST',
    path: '/auth/users/{userId}/external/principals',
    tag: 'auth',
    summary: 'Attach a principal of another service to a user',
    supported: isOffered,
    params: { userId },
    query: { principalId },
    body: optional(record({ settings: optional(anything) })),
    status: 201,
    result: empty,
    failures: [400, 404, 409, 501],
    permission: input => may('auth:CreateUserExternalPrincipal', userArn(input.userId)),
    async handler({ services, log }, input) {
      await services.get('accounts').createPrincipal(input.userId, input.principalId);
      log.info({ target: input.userId, principal: input.principalId }, 'external principal attached');
    },
  }),

  deleteUserExternalPrincipal: operation({
    operationId: 'deleteUserExternalPrincipal',
    method: 'DELETE',
    path: '/auth/users/{userId}/external/principals',
    tag: 'auth',
    summary: 'Detach a principal from a user',
    supported: isOffered,
    params: { userId },
    query: { principalId },
    status: 204,
    result: empty,
    failures: [400, 404, 501],
    permission: input => may('auth:DeleteUserExternalPrincipal', userArn(input.userId)),
    async handler({ services, log }, input) {
      await services.get('accounts').deletePrincipal(input.userId, input.principalId);
      log.info({ target: input.userId, principal: input.principalId }, 'external principal detached');
    },
  }),

  listUserExternalPrincipals: operation({
    operationId: 'listUserExternalPrincipals',
    method: 'GET',
    path: '/auth/users/{userId}/external/principals/ls',
    tag: 'auth',
    summary: 'Principals of a user',
    supported: isOffered,
    params: { userId },
    query: paging,
    status: 200,
    result: json(listOf(principal)),
    failures: [400, 404, 501],
    permission: input => may('auth:ReadUser', userArn(input.userId)),
    handler: async ({ services }, input) =>
      presentPage(await services.get('accounts').listPrincipals(input.userId, pageRequest(input)), present, 0),
  }),

  getExternalPrincipal: operation({
    operationId: 'getExternalPrincipal',
    method: 'GET',
    path: '/auth/external/principals',
    tag: 'auth',
    summary: 'The user of a principal',
    supported: isOffered,
    query: { principalId },
    status: 200,
    result: json(principal),
    failures: [400, 404, 501],
    permission: input => may('auth:ReadExternalPrincipal', externalPrincipalArn(input.principalId)),
    async handler({ services }, input) {
      const found = await services.get('accounts').findPrincipal(input.principalId);
      if (!found) throw new SrvError('not_found', 'external principal not found');
      return present(found);
    },
  }),

  externalPrincipalLogin: operation({
    operationId: 'externalPrincipalLogin',
    method: 'POST',
    path: '/auth/external/principal/login',
    tag: 'auth',
    summary: 'Exchange a proof of identity of another service for a login token',
    access: 'public',
    supported: isOffered,
    body: record({ identityRequest: anything, token_expiration_duration: optional(integer()) }),
    status: 200,
    result: json(token),
    failures: [400, 401, 403, 404, 501],
    async handler({ services, log }, { body: { identityRequest, token_expiration_duration: seconds = 0 } }) {
      const principals = await services.get('principals').verify(identityRequest);
      const accounts = services.get('accounts');
      for (const id of principals) {
        const found = await accounts.findPrincipal(id);
        if (!found || !(await accounts.knownUser(found.username))) continue;
        const issued = await services.get('auth').issueToken(found.username, seconds > 0 ? seconds * 1000 : undefined);
        log.info({ user: found.username, principal: id }, 'user logged in by an external principal');
        return presentToken(issued);
      }
      throw new SrvError('not_found', 'external principal not found');
    },
  }),

  stsLogin: operation({
    operationId: 'stsLogin',
    method: 'POST',
    path: '/sts/login',
    tag: 'experimental',
    summary: 'Exchange an authorization code of the authentication service for a login token',
    access: 'public',
    supported: ({ services }) => services.find('sts') !== undefined && services.find('accounts') !== undefined,
    body: record({ code: text(), state: text(), redirect_uri: text(), ttl_seconds: optional(integer({ min: 0 })) }),
    status: 200,
    result: json(token),
    failures: [400, 401, 404, 501],
    async handler({ services, log }, { body: { ttl_seconds: ttl = 0, code, state, redirect_uri } }) {
      const claims = await services.get('sts').exchange({ code, state, redirect_uri });
      const rules = services.find('claims');
      const { sub } = claims;
      const subject = rules ? rules.subjectOf(claims) : typeof sub === 'string' ? sub : undefined;
      if (!subject) throw new SrvError('unauthenticated', 'Unauthorized');
      const accounts = services.get('accounts');
      const found = await accounts.findByExternalId(subject);
      const user = found && (await accounts.knownUser(found.username));
      if (!user) throw new SrvError('not_found', 'user not found');
      const seconds = Math.min(ttl > 0 ? ttl : stsDefault, stsLongest);
      const issued = await services.get('auth').issueToken(user.username, seconds * 1000);
      log.info({ user: user.username }, 'user logged in by the authentication service');
      return presentToken(issued);
    },
  }),

  oauthCallback: operation({
    operationId: 'oauthCallback',
    method: 'GET',
    path: '/oidc/callback',
    tag: 'auth',
    summary: 'For authentication services that send browsers here; the login of this server itself is elsewhere',
    access: 'public',
    status: 302,
    result: empty,
    failures: [401],
    handler: ({ services }) =>
      services.find('sts') ? reply({ status: 501, headers: { Location: '/auth/login' } }) : reply({ status: 200 }),
  }),
};

export default principalOperations;

declare module '@srv/lib-api' {
  interface Operations extends PrincipalOperations {}
}

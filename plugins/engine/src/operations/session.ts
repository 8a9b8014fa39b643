/** Login, who is asking, and what they may do. */
import { SrvError, isSrvError } from '@srv/kernel';
import {
  all,
  empty,
  integer,
  json,
  may,
  operation,
  optional,
  presentUser,
  record,
  reply,
  sessionCookie,
  text,
  toSeconds,
  user,
} from '@srv/lib-api';

const token = record({ token: text(), token_expiration: optional(integer()) });

export const sessionOperations = {
  login: operation({
    operationId: 'login',
    method: 'POST',
    path: '/auth/login',
    tag: 'auth',
    summary: 'Exchange an access key for a login token',
    access: 'public',
    body: record({ access_key_id: text(), secret_access_key: text() }),
    status: 200,
    result: json(token),
    failures: [401, 429],
    async handler({ services, secure, sourceIp }, { body }) {
      const { logIn, session, installationId } = services.get('identity');
      if (!logIn) throw new SrvError('unsupported', 'Not Implemented: users of this server do not log in with access keys');
      const { token, expiresAt } = await logIn({ accessKeyId: body.access_key_id, secretAccessKey: body.secret_access_key }, sourceIp);
      const seconds = Math.max(0, toSeconds(expiresAt) - toSeconds(new Date()));
      const cookie = session && { 'Set-Cookie': sessionCookie(token, seconds, { domain: session.cookieDomain, secure, installationId }) };
      return reply({
        headers: cookie,
        body: { token, token_expiration: toSeconds(expiresAt) },
      });
    },
  }),

  getCurrentUser: operation({
    operationId: 'getCurrentUser',
    method: 'GET',
    path: '/user',
    tag: 'auth',
    summary: 'The user who asks; an empty one without credentials',
    access: 'anyone',
    status: 200,
    result: json(record({ user })),
    handler: ({ caller }) => ({
      user: caller ? { ...presentUser(caller), friendly_name: caller.friendlyName ?? caller.username } : { id: '', creation_date: 0 },
    }),
  }),

  permissionPreflight: operation({
    operationId: 'permissionPreflight',
    method: 'GET',
    path: '/user/permission',
    tag: 'auth',
    summary: 'Whether the caller may do something: to a resource, or, without one, to anything at all',
    query: {
      action: text({ pattern: /^[a-z0-9]+:[A-Za-z]+$/, problem: 'an action has a service and a name, such as fs:CreateCommit' }),
      resource: optional(text()),
    },
    status: 204,
    result: empty,
    permission: ({ action, resource }) => (resource === undefined ? all() : may(action, resource)),
    async handler({ services, user }, { action, resource }) {
      if (resource !== undefined) return;
      try {
        await services.get('identity').visibility(user, action);
      } catch (error) {
        if (!isSrvError(error, 'denied')) throw error;
        throw new SrvError('denied', `insufficient permissions: not allowed to ${action}`, { cause: error });
      }
    },
  }),
};

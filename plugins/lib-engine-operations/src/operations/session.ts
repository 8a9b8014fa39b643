/** Login, and who is asking. */
import { SrvError } from '@srv/kernel';
import { integer, json, operation, optional, presentUser, record, reply, sessionCookie, text, toSeconds, user } from '@srv/lib-operations';

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
      const { logIn, session } = services.get('identity');
      if (!logIn) throw new SrvError('unsupported', 'Not Implemented: users of this server do not log in with access keys');
      const { token, expiresAt } = await logIn({ accessKeyId: body.access_key_id, secretAccessKey: body.secret_access_key }, sourceIp);
      const seconds = Math.max(0, toSeconds(expiresAt) - toSeconds(new Date()));
      const cookie = session && { 'Set-Cookie': sessionCookie(token, seconds, { domain: session.cookieDomain, secure }) };
      return reply({
        ...(cookie ? { headers: cookie } : {}),
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
};

/** Login with a token of an identity provider, for programs that have one. */
import { integer, json, operation, optional, record, text, toSeconds } from '@srv/lib-api';
import type {} from './contract.js';

/** Operations by id. */
export type ClaimOperations = typeof claimOperations;

export const claimOperations = {
  jwtLogin: operation({
    operationId: 'jwtLogin',
    method: 'POST',
    path: '/auth/jwt/login',
    tag: 'auth',
    summary: 'Exchange a token of the configured identity provider for a login token',
    access: 'public',
    supported: ({ services }) => services.find('jwtLogin') !== undefined,
    body: record({ token: text({ filled: true, maxBytes: 32_768, problem: 'token: must not be empty, and at most 32768 bytes' }) }),
    status: 200,
    result: json(record({ token: text(), token_expiration: optional(integer()) })),
    failures: [401, 501],
    async handler({ services }, { body }) {
      const { token, expiresAt } = await services.get('jwtLogin').logIn(body.token);
      return { token, token_expiration: toSeconds(expiresAt) };
    },
  }),
};

export default claimOperations;

declare module '@srv/lib-api' {
  interface Operations extends ClaimOperations {}
}

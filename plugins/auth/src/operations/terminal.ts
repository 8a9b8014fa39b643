/** Logins from a terminal, by a browser; and the renewal of sessions. */
import { SrvError } from '@srv/kernel';
import { empty, integer, json, operation, optional, record, reply, text, toSeconds } from '@srv/lib-api';
import type { LoginToken } from '@srv/kernel';
import type { OperationContext } from '@srv/lib-api';
import type { TerminalLogins } from '../contract.js';

const token = record({ token: text(), token_expiration: optional(integer()) });
const presentToken = ({ token: value, expiresAt }: LoginToken) => ({ token: value, token_expiration: toSeconds(expiresAt) });
const offered = ({ services }: OperationContext): boolean => services.find('terminalLogins') !== undefined;
const loginsOf = ({ services }: OperationContext): TerminalLogins => services.get('terminalLogins');

/** What our page sends, and a page of another origin cannot. */
const confirmation = 'login';

export const terminalOperations = {
  getTokenRedirect: operation({
    operationId: 'getTokenRedirect',
    method: 'GET',
    path: '/auth/get-token/start',
    tag: 'auth',
    summary: 'Begin a login from a terminal: the page to open in a browser, and the mailbox that will hold the token',
    access: 'public',
    status: 303,
    result: empty,
    failures: [501],
    supported: offered,
    handler(context) {
      const { mailbox, request } = loginsOf(context).start();
      const page = `/auth/terminal?request=${encodeURIComponent(request)}`;
      return reply({ status: 303, headers: { Location: page, 'X-LakeFS-Mailbox': mailbox, 'Cache-Control': 'no-store' } });
    },
  }),

  getTokenFromMailbox: operation({
    operationId: 'getTokenFromMailbox',
    method: 'GET',
    path: '/auth/get-token/mailboxes/{mailbox}',
    tag: 'auth',
    summary: 'The token of a login from a terminal, once; 404 until it is allowed',
    access: 'public',
    params: { mailbox: text({ filled: true, maxBytes: 100, problem: 'mailbox: invalid value: validation error' }) },
    status: 200,
    result: json(token),
    failures: [404, 501],
    supported: offered,
    async handler(context, { mailbox }) {
      const found = await loginsOf(context).collect(mailbox);
      if (!found) throw new SrvError('not_found', 'token not found: the login has not been allowed yet, or has expired');
      return reply({ headers: { 'Cache-Control': 'no-store' }, body: presentToken(found) });
    },
  }),

  releaseTokenToMailbox: operation({
    operationId: 'releaseTokenToMailbox',
    method: 'GET',
    path: '/auth/get-token/release-token/{loginRequestToken}',
    tag: 'auth',
    summary: 'Allow a login from a terminal as the caller; browsers have to confirm it',
    params: { loginRequestToken: text({ filled: true, maxBytes: 2000, problem: 'login request: invalid value: validation error' }) },
    headers: { 'X-Srv-Confirm': optional(text()) },
    status: 204,
    result: empty,
    failures: [409, 501],
    supported: offered,
    async handler(context, { loginRequestToken, 'X-Srv-Confirm': confirmed }) {
      const { user, headers, log } = context;
      // A link would make the browser send the session along.
      if (headers.authorization === undefined && confirmed !== confirmation)
        throw new SrvError('denied', 'insufficient permissions: logins from a terminal are allowed on their page, not by a link');
      if (user.grant) throw new SrvError('denied', 'insufficient permissions: temporary credentials cannot allow logins');
      await loginsOf(context).release(loginRequestToken, user);
      log.info({ user: user.username }, 'login from a terminal allowed');
    },
  }),

  renewToken: operation({
    operationId: 'renewToken',
    method: 'POST',
    path: '/auth/renew_token',
    tag: 'auth',
    summary: 'A new login token for one that is still valid',
    status: 200,
    result: json(token),
    failures: [501],
    supported: ({ services }) => services.find('auth') !== undefined,
    async handler({ services, headers }) {
      const authorization = typeof headers.authorization === 'string' ? headers.authorization : '';
      const renewed = authorization.startsWith('Bearer ')
        ? await services.get('auth').renewToken(authorization.slice(7).trim())
        : undefined;
      if (!renewed) throw new SrvError('invalid', 'only login tokens can be renewed, and only as long as they are valid');
      return presentToken(renewed);
    },
  }),
};

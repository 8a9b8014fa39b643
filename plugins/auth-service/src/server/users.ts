/** Users, and the one-time tokens that stand beside them. */

import { SrvError } from '@srv/kernel';
import { decodeUser, encodeUser, readWire } from '@srv/lib-auth/authorization';
import Joi from 'joi';
import { creates, given, reads, removes } from './endpoint.js';
import { pageRequest, present } from './pages.js';
import type { Account, AccountService } from '@srv/auth/contract';
import type { User } from '@srv/kernel';
import type { Endpoint, EndpointParts, EndpointRequest } from './endpoint.js';

const text = Joi.string().allow('', null).empty(null);
const newUser = Joi.object<NewUser>({
  username: Joi.string().required(),
  email: text,
  friendlyName: text,
  source: text,
  encryptedPassword: text,
  external_id: text,
  invite: Joi.boolean().allow(null).empty(null),
})
  .unknown(true)
  .required();
const password = Joi.object<{ encryptedPassword: string }>({ encryptedPassword: Joi.string().base64().required() })
  .unknown(true)
  .required();
const friendlyName = Joi.object<{ friendly_name: string }>({ friendly_name: Joi.string().allow('').required() })
  .unknown(true)
  .required();
const claim = Joi.object<{ token_id: string; expires_at: number }>({
  token_id: Joi.string().required(),
  expires_at: Joi.number().required(),
})
  .unknown(true)
  .required();

interface NewUser {
  readonly username: string;
  readonly email?: string;
  readonly friendlyName?: string;
  readonly source?: string;
  readonly encryptedPassword?: string;
  readonly external_id?: string;
  readonly invite?: boolean;
}

export function userEndpoints({ auth, accounts, invitations }: EndpointParts): Endpoint[] {
  const account = async (user: User): Promise<Account> => {
    const found = await accounts.findAccount(user.username);
    return found ?? { ...user, source: '', externalId: '', encryptedPassword: '' };
  };
  const known = async (username: string): Promise<Account> => account(await auth.getUser(username));
  const invite = async (address: string): Promise<User> => {
    const sender = invitations();
    if (!sender) throw new SrvError('unsupported', 'Not Implemented: this service has no mail host');
    return sender.invite(address);
  };
  return [
    reads('/auth/users', request => listUsers(request, { accounts, auth, account })),
    creates('/auth/users', async ({ body }) => {
      const user = readWire(newUser, body, 'user');
      if (user.invite) return encodeUser(await account(await invite(user.email || user.username)));
      return encodeUser(await account(await accounts.createAccount(accountOf(user))));
    }),
    reads('/auth/users/{user}', async request => encodeUser(await known(given(request, 'user')))),
    removes('/auth/users/{user}', request => auth.deleteUser(given(request, 'user'))),
    {
      method: 'PUT',
      path: '/auth/users/{user}/password',
      status: 200,
      async handle(request) {
        const { encryptedPassword } = readWire(password, request.body, 'password');
        await accounts.setPassword(given(request, 'user'), Buffer.from(encryptedPassword, 'base64').toString('utf8'));
        return undefined;
      },
    },
    {
      method: 'PUT',
      path: '/auth/users/{user}/friendly_name',
      status: 204,
      async handle(request) {
        const { friendly_name: name } = readWire(friendlyName, request.body, 'friendly name');
        await accounts.setFriendlyName(given(request, 'user'), name);
        return undefined;
      },
    },
    creates('/auth/tokenid/claim', async ({ body }) => {
      const { token_id: id, expires_at: expires } = readWire(claim, body, 'token');
      if (!(await accounts.claimToken(id, new Date(expires * 1000)))) throw new SrvError('invalid', 'token is used or expired');
    }),
  ];
}

interface ListParts {
  readonly auth: EndpointParts['auth'];
  readonly accounts: AccountService;
  account(user: User): Promise<Account>;
}

/** Also finds one user by address, or by name at another service. Users have no numbers here, so a search by number finds none. */
async function listUsers(request: EndpointRequest, { auth, accounts, account }: ListParts): Promise<object> {
  const { id, email, external_id: externalId } = request.query;
  const one = (found: Account | undefined) => present({ results: found ? [found] : [], hasMore: false, nextOffset: '' }, encodeUser);
  if (id !== undefined) return one(undefined);
  if (email !== undefined) return one(await accounts.findByEmail(email));
  if (externalId !== undefined) return one(await accounts.findByExternalId(externalId));
  const page = await auth.listUsers(pageRequest(request));
  return present({ ...page, results: await Promise.all(page.results.map(account)) }, encodeUser);
}

function accountOf({ username, email, friendlyName, source, encryptedPassword, external_id: externalId }: NewUser) {
  const wire = { username, creation_date: 0, encryptedPassword: encryptedPassword || undefined };
  return {
    username,
    encryptedPassword: decodeUser(wire).encryptedPassword,
    email: email || undefined,
    friendlyName: friendlyName || undefined,
    source: source || undefined,
    externalId: externalId || undefined,
  };
}

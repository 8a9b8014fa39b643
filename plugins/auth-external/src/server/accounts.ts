/** The `accounts` service over an external authorization service. */
import { SrvError, isSrvError } from '@srv/kernel';
import { checkNewName, endLogins, purposeTokens } from '@srv/lib-auth';
import { decodeUser, plainUser, secondsOf, wirePage, wireUser } from '@srv/lib-auth/authorization';
import { createPrincipalService } from './principal-service.js';
import type { Account, AccountService } from '@srv/auth/contract';
import type { Sessions, SignIns } from '@srv/lib-auth';
import type { ServiceClient } from './service-client.js';
import type { RemoteUserDirectory } from './user-directory.js';

interface RemoteAccountParts {
  readonly service: ServiceClient;
  readonly directory: RemoteUserDirectory;
  readonly sessions: Sessions;
  readonly signIns: SignIns;
  readonly secretKey: string;
}

export function createRemoteAccounts({ service, directory, sessions, signIns, secretKey }: RemoteAccountParts): AccountService {
  /** Requests two users, to check that the result is unique. */
  const only = async (query: Readonly<Record<string, string>>, fits: (found: Account) => boolean): Promise<Account | undefined> => {
    const call = { method: 'GET', path: ['auth', 'users'], expect: 200, query: { ...query, amount: 2 } } as const;
    const [found, other] = (await service.read(wirePage(wireUser), call)).results;
    if (other) throw new SrvError('internal', `authorization service: more than one user with ${Object.keys(query).join()}`);
    const account = found && decodeUser(found);
    // A service that does not know the filter returns any user.
    if (account && !fits(account))
      throw new SrvError('internal', `authorization service: the response is about another user than the requested one`);
    return account;
  };
  return {
    findAccount: username => directory.findAccount(username),
    knownUser: username => directory.findUser(username),
    findByEmail: email => only({ email }, found => found.email?.toLowerCase() === email.toLowerCase()),
    findByExternalId: externalId => only({ external_id: externalId }, found => found.externalId === externalId),
    async createAccount({ username, email, friendlyName, source = 'internal', externalId, encryptedPassword }) {
      checkNewName('User', username);
      const body = {
        username,
        source,
        email: email || undefined,
        friendlyName: friendlyName || undefined,
        external_id: externalId || undefined,
        encryptedPassword: encryptedPassword ? base64(encryptedPassword) : undefined,
      };
      const created = await service.read(wireUser, { method: 'POST', path: ['auth', 'users'], expect: 201, body });
      await directory.forgetUser(username);
      return plainUser(decodeUser(created));
    },
    async setFriendlyName(username, friendlyName) {
      const path = ['auth', 'users', username, 'friendly_name'];
      await service.send({ method: 'PUT', path, expect: 204, missing: 'user not found', body: { friendly_name: friendlyName } });
      await directory.forgetUser(username);
    },
    async setPassword(username, encryptedPassword) {
      const body = { encryptedPassword: base64(encryptedPassword) };
      const call = { method: 'PUT', path: ['auth', 'users', username, 'password'], expect: 200, missing: 'user not found', body } as const;
      await endLogins({ sessions, signIns }, username, () => service.send(call));
    },

    revealKey: accessKeyId => directory.findAccessKey(accessKeyId),

    async claimToken(id, expiresAt) {
      try {
        const body = { token_id: id, expires_at: secondsOf(expiresAt) };
        await service.send({ method: 'POST', path: ['auth', 'tokenid', 'claim'], expect: 201, body });
        return true;
      } catch (error) {
        if (isSrvError(error, 'invalid')) return false;
        throw error;
      }
    },
    ...purposeTokens(secretKey),

    asksForNames: () => signIns.askForNames,

    ...createPrincipalService(service),
  };
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

/** Users and their access keys over an external authorization service. */
import { checkNewName, endLogins } from '@srv/lib-auth';
import {
  decodeCredential,
  decodeKey,
  decodeUser,
  plainUser,
  wireCredential,
  wireCredentialWithSecret,
  wireUser,
} from '@srv/lib-auth/authorization';
import { readPage } from './read-page.js';
import { noUser, userPath } from './relations.js';
import type { AuthService, Credential } from '@srv/auth/contract';
import type { User } from '@srv/kernel';
import type { Sessions, SignIns } from '@srv/lib-auth';
import type { WireUser } from '@srv/lib-auth/authorization';
import type { ServiceClient } from './service-client.js';
import type { RemoteUserDirectory } from './user-directory.js';

interface UserServiceParts {
  readonly service: ServiceClient;
  readonly directory: RemoteUserDirectory;
  readonly sessions: Sessions;
  readonly signIns: SignIns;
}

const userOf = (found: WireUser) => plainUser(decodeUser(found));
/** How {@link readPage} reads lists of users. */
export const users = { item: wireUser, decode: userOf, nameOf: ({ username }: User) => username };
const keys = { item: wireCredential, decode: decodeCredential, nameOf: ({ accessKeyId }: Credential) => accessKeyId };
const noCredential = 'credentials not found';

export function createUserService({ service, directory, sessions, signIns }: UserServiceParts) {
  const keysPath = (username: string) => [...userPath(username), 'credentials'];
  return {
    async createUser({ username, email, friendlyName, source = 'internal' }) {
      checkNewName('User', username);
      const body = { username, source, email: email || undefined, friendlyName: friendlyName || undefined };
      const created = await service.read(wireUser, { method: 'POST', path: ['auth', 'users'], expect: 201, body });
      await directory.forgetUser(username);
      return userOf(created);
    },
    getUser: async username =>
      userOf(await service.read(wireUser, { method: 'GET', path: userPath(username), expect: 200, missing: noUser })),
    listUsers: request => readPage(service, { ...users, path: ['auth', 'users'] }, request),
    async deleteUser(username) {
      await endLogins({ sessions, signIns }, username, async () => {
        await service.send({ method: 'DELETE', path: userPath(username), expect: 204, missing: noUser });
        await directory.forgetUser(username);
      });
    },

    async createCredential(username, key) {
      const query = key && { access_key: key.accessKeyId, secret_key: key.secretAccessKey };
      const call = { method: 'POST', path: keysPath(username), expect: 201, missing: noUser, query } as const;
      const { username: _, ...created } = decodeKey(await service.read(wireCredentialWithSecret, call));
      await directory.forgetKey(created.accessKeyId);
      return created;
    },
    async getCredential(username, accessKeyId) {
      const call = { method: 'GET', path: [...keysPath(username), accessKeyId], expect: 200, missing: noCredential } as const;
      return decodeCredential(await service.read(wireCredential, call));
    },
    listCredentials: (username, request) => readPage(service, { ...keys, path: keysPath(username), missing: noUser }, request),
    async deleteCredential(username, accessKeyId) {
      await service.send({ method: 'DELETE', path: [...keysPath(username), accessKeyId], expect: 204, missing: noCredential });
      await directory.forgetKey(accessKeyId);
    },
  } satisfies Partial<AuthService>;
}

/** Users and their access keys, as the service `auth` shows them. */

import { endLogins } from '@srv/lib-auth';
import type { Sessions, SignIns } from '@srv/lib-auth';
import type { AuthService } from '../contract.js';
import type { Directory } from './directory/directory.js';

interface UserServiceParts {
  readonly directory: Directory;
  readonly sessions: Sessions;
  readonly signIns: SignIns;
}

export function createUserService({ directory, sessions, signIns }: UserServiceParts) {
  const { users, credentials } = directory;
  return {
    createUser: user => directory.createUser(user),
    getUser: username => users.get(username),
    listUsers: page => users.page(page),
    async deleteUser(username) {
      await users.get(username);
      // The next user of that name must not inherit sessions.
      await endLogins({ sessions, signIns }, username, () => directory.deleteUser(username));
    },

    createCredential: (username, key) => directory.createCredential(username, key),
    async getCredential(username, accessKeyId) {
      await users.get(username);
      return credentials.get(await users.place(username), accessKeyId);
    },
    async listCredentials(username, page) {
      await users.get(username);
      return credentials.page(await users.place(username), page);
    },
    deleteCredential: (username, accessKeyId) => directory.deleteCredential(username, accessKeyId),
  } satisfies Partial<AuthService>;
}

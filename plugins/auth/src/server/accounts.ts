/** The `accounts` service over the built-in directory. */
import { SrvError, absent } from '@srv/kernel';
import { endLogins, purposeTokens } from '@srv/lib-auth';
import { recordsBelow } from '@srv/lib-records';
import { authPartition, usedTokenKey } from './storage/keys.js';
import { decodeUsedToken, encodeUsedToken } from './storage/records.js';
import type { KvStore } from '@srv/kernel';
import type { Sessions, SignIns } from '@srv/lib-auth';
import type { AccountService, AuthMode } from '../contract.js';
import type { Directory } from './directory/directory.js';

interface AccountParts {
  readonly kv: KvStore;
  readonly directory: Directory;
  readonly sessions: Sessions;
  readonly signIns: SignIns;
  readonly mode: AuthMode;
  readonly secretKey: string;
}

export function createAccountService({ kv, directory, sessions, signIns, mode, secretKey }: AccountParts): AccountService {
  const { users, principals } = directory;
  /** In a mode without permissions, principals have no use. */
  const needPrincipals = (): void => {
    if (mode === 'none') throw new SrvError('unsupported', 'Not Implemented');
  };
  return {
    findAccount: async username => (username === '' || username.includes('/') ? undefined : users.findAccount(username)),
    knownUser: username => directory.findUser(username),
    findByEmail: address => users.findBy('email', address),
    findByExternalId: externalId => users.findBy('externalId', externalId),
    createAccount: account => directory.createUser(account),
    setFriendlyName: (username, friendlyName) => directory.changeUser(username, { friendlyName }),
    async setPassword(username, encryptedPassword) {
      await users.get(username);
      const change = { encryptedPassword: Buffer.from(encryptedPassword, 'utf8') };
      await endLogins({ sessions, signIns }, username, () => directory.changeUser(username, change));
    },

    revealKey: accessKeyId => directory.findAccessKey(accessKeyId),

    claimToken: (id, expiresAt) => claimToken(kv, id, expiresAt),
    ...purposeTokens(secretKey),

    asksForNames: () => signIns.askForNames,

    async createPrincipal(username, id) {
      needPrincipals();
      await directory.createPrincipal(username, id);
    },
    async deletePrincipal(username, id) {
      needPrincipals();
      await users.get(username);
      await principals.delete(username, id);
    },
    async findPrincipal(id) {
      needPrincipals();
      return principals.find(id);
    },
    async listPrincipals(username, page) {
      needPrincipals();
      await users.get(username);
      return principals.page(username, page);
    },
  };
}

/** With each claim, this many of the oldest records are checked, and those of expired tokens are removed. */
const swept = 50;

async function claimToken(kv: KvStore, id: string, expiresAt: Date): Promise<boolean> {
  if (expiresAt.getTime() <= Date.now()) return false;
  const claimed = await kv.setIf(authPartition, Buffer.from(usedTokenKey(id), 'utf8'), encodeUsedToken({ id, expiresAt }), absent);
  const old: string[] = [];
  let seen = 0;
  for await (const { name, value } of recordsBelow(kv, authPartition, 'expiredTokens/')) {
    if (seen++ === swept) break;
    if (decodeUsedToken(value).expiresAt.getTime() <= Date.now()) old.push(name);
  }
  for (const name of old) await kv.delete(authPartition, Buffer.from(usedTokenKey(name), 'utf8'));
  return claimed;
}

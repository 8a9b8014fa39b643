/** Users that a remote authenticator accepts; the first login creates them here. */
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import type { AccountService, AuthService } from '@srv/auth/contract';
import type { AccessKey, Logger } from '@srv/kernel';
import type { SignIn } from '@srv/lib-auth';
import type { Authenticator } from './authenticator.js';

interface RemoteSignInParts {
  readonly authenticator: Authenticator;
  readonly auth: AuthService;
  readonly accounts: AccountService;
  readonly defaultGroup: string;
  readonly log: Logger;
}

/** No user has a longer name. */
const longestName = 256;
const longestPassword = 1024;

export class RemoteSignIn implements SignIn {
  readonly name = 'remote authenticator';
  readonly asksForNames = true;
  readonly #parts: RemoteSignInParts;

  constructor(parts: RemoteSignInParts) {
    this.#parts = parts;
  }

  async signIn(pair: AccessKey): Promise<string | undefined> {
    const { authenticator, accounts, log } = this.#parts;
    const { accessKeyId: given, secretAccessKey } = pair;
    if (given === '' || given.length > longestName || secretAccessKey.length > longestPassword) return undefined;
    const username = await authenticator.authenticate(pair);
    if (username === undefined) return undefined;
    if (await accounts.findAccount(username)) return username;
    try {
      await this.#create(username, given);
    } catch (error) {
      if (isSrvError(error, 'not_unique')) return username;
      if (!isSrvError(error, 'invalid')) throw error;
      log.warn({ user: username, error: messageOf(error) }, 'the name of a user of the remote authenticator is not valid here');
      return undefined;
    }
    return username;
  }

  /** The group goes with the user: without one it would have no rights, for no visible reason. */
  async #create(username: string, friendlyName: string): Promise<void> {
    const { auth, accounts, defaultGroup, log } = this.#parts;
    const group = auth.supports('groups') && defaultGroup !== '' ? defaultGroup : undefined;
    if (group !== undefined) await this.#needGroup(group);
    await accounts.createAccount({ username, friendlyName, source: 'remote_authenticator' });
    try {
      if (group !== undefined) await auth.addMember(group, username);
    } catch (error) {
      await auth.deleteUser(username);
      throw error;
    }
    log.info({ user: username, group, source: 'remote_authenticator' }, 'user created at its first login');
  }

  async #needGroup(group: string): Promise<void> {
    try {
      await this.#parts.auth.getGroup(group);
    } catch (error) {
      if (!isSrvError(error, 'not_found')) throw error;
      throw new SrvError(
        'config',
        `auth.remote_authenticator.default_user_group: there is no group ${group}; create it, or name another one`,
      );
    }
  }
}

/** Users that a remote authenticator accepts; the first login creates them here. */
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { PendingGroups, checkNewName } from '@srv/lib-auth';
import type { AccountService, AuthService } from '@srv/auth/contract';
import type { AccessKey, KvStore, Logger } from '@srv/kernel';
import type { SignIn } from '@srv/lib-auth';
import type { Authenticator } from './authenticator.js';

interface RemoteSignInParts {
  readonly authenticator: Authenticator;
  readonly auth: AuthService;
  readonly accounts: AccountService;
  readonly kv: KvStore;
  readonly defaultGroup: string;
  readonly log: Logger;
}

/** No user has a longer name. */
const longestName = 256;
const longestPassword = 1024;
const source = 'remote_authenticator';

export class RemoteSignIn implements SignIn {
  readonly name = 'remote authenticator';
  readonly asksForNames = true;
  readonly #parts: RemoteSignInParts;
  readonly #pending: PendingGroups;

  constructor(parts: RemoteSignInParts) {
    this.#parts = parts;
    this.#pending = new PendingGroups(parts.kv);
  }

  async signIn(pair: AccessKey): Promise<string | undefined> {
    const { authenticator, auth, accounts, log } = this.#parts;
    const { accessKeyId: given, secretAccessKey } = pair;
    if (given === '' || given.length > longestName || secretAccessKey.length > longestPassword) return undefined;
    const username = await authenticator.authenticate(pair);
    if (username === undefined) return undefined;
    try {
      const account = (await accounts.findAccount(username)) ?? (await this.#create(username, given));
      if (auth.supports('groups') && account.source === source)
        await this.#pending.complete({ source, id: username }, groups => this.#join(username, groups));
      return username;
    } catch (error) {
      if (!isSrvError(error, 'invalid')) throw error;
      log.warn({ user: username, error: messageOf(error) }, 'the name of a user of the remote authenticator is not valid here');
      return undefined;
    }
  }

  /** The group goes with the user: without one it would have no rights, for no visible reason. */
  async #create(username: string, friendlyName: string): Promise<{ readonly source: string }> {
    const { auth, accounts, defaultGroup, log } = this.#parts;
    const group = auth.supports('groups') && defaultGroup !== '' ? defaultGroup : undefined;
    if (group !== undefined) await this.#needGroup(group);
    checkNewName('User', username);
    await this.#pending.note({ source, id: username }, group === undefined ? [] : [group]);
    try {
      await accounts.createAccount({ username, friendlyName, source });
    } catch (error) {
      // Another request was faster.
      const known = isSrvError(error, 'not_unique') ? await accounts.findAccount(username) : undefined;
      if (!known) throw error;
      return known;
    }
    log.info({ user: username, group, source }, 'user created at its first login');
    return { source };
  }

  async #join(username: string, groups: readonly string[]): Promise<void> {
    for (const group of groups) {
      await this.#needGroup(group);
      await this.#parts.auth.addMember(group, username).catch((error: unknown) => {
        if (!isSrvError(error, 'not_unique')) throw error;
      });
    }
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

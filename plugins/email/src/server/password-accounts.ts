/** Users with an e-mail address and a password: invited, forgetful, and at the door. */
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { LRUCache } from 'lru-cache';
import { bareAddress, parseAddress } from '../address.js';
import { invitationTo, resetFor } from './messages.js';
import { checkPassword } from './passwords.js';
import type { Account, AccountService, AuthService, InvitationService } from '@srv/auth/contract';
import type { AccessKey, EmailMessage, Logger, User } from '@srv/kernel';
import type { SignIn } from '@srv/lib-auth';
import type { Passwords } from './passwords.js';

/** Audiences of tokens. One is never taken for the other. */
const purposes = { reset: 'reset_password', invitation: 'invite_user' } as const;
/** Milliseconds. */
const validity = { reset: 20 * 60_000, invitation: 6 * 3_600_000 } as const;
/** One address gets no more than one reset message in this time, in milliseconds: anyone may ask for one. */
const betweenResets = 60_000;
/** @bound reset messages on their way */
const mostPending = 100;
/** @bound addresses that recently got a reset message */
const rememberedResets = 10_000;

interface PasswordAccountParts {
  readonly auth: AuthService;
  readonly accounts: AccountService;
  readonly passwords: Passwords;
  /** Sends a message, by whichever plugin sends messages. */
  send(message: EmailMessage): Promise<{ readonly accepted: boolean } | undefined>;
  /** Begin of links. */
  readonly baseUrl: string;
  readonly log: Logger;
}

interface NewPassword {
  readonly token: string;
  readonly password: string;
  readonly email?: string | undefined;
}

export class PasswordAccounts implements InvitationService, SignIn {
  readonly name = 'email';
  readonly resetsPasswords = true;
  readonly #parts: PasswordAccountParts;
  readonly #pending = new Set<Promise<void>>();
  readonly #recent = new LRUCache<string, true>({ max: rememberedResets, ttl: betweenResets });

  constructor(parts: PasswordAccountParts) {
    this.#parts = parts;
  }

  /** Creates a user and invites it; no user is left when the invitation cannot be sent. */
  async invite(text: string): Promise<User> {
    const { auth, accounts, baseUrl, log } = this.#parts;
    // Out of other text, such as `Ann <ann@example.com>`, comes another name than the one that permissions were checked for.
    const address = bareAddress(text);
    if (address === undefined) throw notBare(text);
    const user = await accounts.createAccount({ username: address, email: address });
    try {
      const token = accounts.issuePurposeToken(
        purposes.invitation,
        address,
        validity.invitation,
        stateOf({ ...user, encryptedPassword: '' }),
      );
      await this.#send(invitationTo(address, token, baseUrl));
    } catch (error) {
      await auth.deleteUser(address);
      log.warn({ user: address, error: messageOf(error) }, 'invitation not sent');
      throw error;
    }
    log.info({ user: address }, 'user invited');
    return user;
  }

  /** Returns at once, and the same for everybody: neither the response nor its time reveals who has an account. */
  forgot(text: string): void {
    const address = parseAddress(text);
    if (address === undefined) throw new SrvError('invalid', 'invalid email');
    if (this.#recent.has(address) || this.#pending.size >= mostPending) return;
    this.#recent.set(address, true);
    const work = this.#sendReset(address).finally(() => this.#pending.delete(work));
    this.#pending.add(work);
  }

  /**
   * @throws SrvError `unauthenticated` for a token that is not good, or no longer, as after another one was used; `invalid` for a password that is too
   * short; `not_found` when the user is gone.
   */
  async setPassword({ token, password, email }: NewPassword): Promise<void> {
    const { accounts, passwords, log } = this.#parts;
    const refused = () => new SrvError('unauthenticated', 'error authenticating request');
    const reset = accounts.readPurposeToken(purposes.reset, token);
    const facts = reset ?? accounts.readPurposeToken(purposes.invitation, token);
    if (!facts || (email !== undefined && parseAddress(email) !== facts.subject)) throw refused();
    checkPassword(password);
    const nameOfUser = async (): Promise<string> => {
      const account = await accounts.findByEmail(facts.subject);
      if (!account) throw new SrvError('not_found', 'user not found');
      // An invitation is for users without a password; it must not become a way to change one.
      if (!facts.isOf(stateOf(account)) || (!reset && account.encryptedPassword !== '')) throw refused();
      return account.username;
    };
    await nameOfUser();
    const hash = await passwords.hash(password);
    if (!(await accounts.claimToken(facts.id, facts.expiresAt))) throw refused();
    // Another link may have been used while the password was hashed.
    const username = await nameOfUser();
    await accounts.setPassword(username, hash);
    log.info({ user: username, by: reset ? 'reset' : 'invitation' }, 'password set');
  }

  async signIn({ accessKeyId, secretAccessKey }: AccessKey): Promise<string | undefined> {
    // Nothing around the address: each spelling would be a name of its own to the limits of attempts.
    const address = bareAddress(accessKeyId.trim());
    if (address === undefined || Buffer.byteLength(secretAccessKey) > 1024) return undefined;
    const account = await this.#parts.accounts.findByEmail(address);
    const right = await this.#parts.passwords.matches(secretAccessKey, account?.encryptedPassword ?? '');
    return right ? account?.username : undefined;
  }

  /** Messages on their way are sent, or have failed. */
  async drain(): Promise<void> {
    await Promise.all(this.#pending);
  }

  async #sendReset(address: string): Promise<void> {
    const { accounts, baseUrl, log } = this.#parts;
    try {
      const account = await accounts.findByEmail(address);
      if (!account) return;
      const token = accounts.issuePurposeToken(purposes.reset, address, validity.reset, stateOf(account));
      await this.#send(resetFor(address, token, baseUrl));
      log.info({ user: account.username }, 'password reset sent');
    } catch (error) {
      // A next try must not have to wait for a message that never left, unless the host would refuse the next one, too.
      if (!isSrvError(error, 'invalid')) this.#recent.delete(address);
      log.warn({ error: messageOf(error) }, 'password reset not sent');
    }
  }

  async #send(message: EmailMessage): Promise<void> {
    const sent = await this.#parts.send(message);
    if (sent?.accepted !== true) throw new SrvError('invalid', `mail not sent: the host refused ${message.to.join(', ')}`);
  }
}

/**
 * What a link is for: a new password, or another user of the address, ends those sent before. In seconds, as other servers of
 * the installation know the time.
 */
function stateOf({ username, createdAt, encryptedPassword }: Pick<Account, 'username' | 'createdAt' | 'encryptedPassword'>): string {
  return JSON.stringify([username, Math.floor(createdAt.getTime() / 1000), encryptedPassword]);
}

/** The beginning is a text that clients compare. */
function notBare(text: string): SrvError {
  const shown = JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
  return new SrvError('invalid', `Invalid email format: ${shown} must be the address alone, such as ann@example.com`);
}

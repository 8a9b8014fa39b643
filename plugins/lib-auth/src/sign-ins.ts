/** Providers that accept a name and a password that is not an access key: external directories, our own passwords. */
import { createHmac, randomBytes } from 'node:crypto';
import { ExpiringCache } from '@srv/kernel/cache';
import { equalSecrets } from './access-keys.js';
import type { AccessKey, User } from '@srv/kernel';
import type { CacheOptions } from '@srv/kernel/cache';
import type { LoginLimits } from './login-limits.js';
import type { OwnedKey, UserDirectory } from './user-directory.js';

declare module '@srv/kernel' {
  interface SignInProvider extends SignIn {}
}

export interface SignIn {
  /** For the log. */
  readonly name: string;
  /** Pairs are a user's name and password rather than access keys: login pages say so. */
  readonly asksForNames?: boolean;
  /**
   * Name of the user that the pair belongs to; `undefined`: unknown or wrong.
   * @throws the reason it could not find out, which is not a refusal.
   */
  signIn(key: AccessKey): Promise<string | undefined>;
}

/** The form of access key ids, ours and AWS's. Their secrets are too long to guess and must not reach other services. */
const looksLikeAccessKey = /^AKIA[A-Z0-9]{16}$/;

export interface Admitted {
  readonly user: User;
  /** The pair is an access key of the user. */
  readonly byAccessKey: boolean;
}

export class SignIns {
  readonly #directory: UserDirectory;
  readonly #limits: LoginLimits;
  readonly #collect: (add: (provider: SignIn) => void) => void;
  /** Recent logins: a client that sends its password with each request does not cause a call to the provider each time. */
  readonly #recent: ExpiringCache<{ readonly username: string }>;
  /** Passwords are never kept, nor anything from which they could be recovered once the process has ended. */
  readonly #salt = randomBytes(32);

  /** @param collect calls the hook `signIn`; it is called for every pair that is not an access key. */
  constructor(directory: UserDirectory, limits: LoginLimits, cache: CacheOptions, collect: (add: (provider: SignIn) => void) => void) {
    this.#collect = collect;
    this.#directory = directory;
    this.#limits = limits;
    this.#recent = new ExpiringCache(cache);
  }

  get #providers(): readonly SignIn[] {
    const providers: SignIn[] = [];
    this.#collect(provider => void providers.push(provider));
    return providers;
  }

  /** Whether a provider expects the names of users. */
  get askForNames(): boolean {
    return this.#providers.some(({ asksForNames }) => asksForNames === true);
  }

  /** A password has changed: users who logged in with the old one must log in again. */
  forget(): Promise<void> {
    return this.#recent.clear();
  }

  /**
   * @param options.strict waits apply to access keys, too. By default they do not: keys are too long to guess, and programs that send
   * theirs with every request must not suffer from the attempts of others.
   * @throws SrvError `too_many_tries`; the failure of a provider, when no provider accepts the pair.
   */
  async admit(
    key: AccessKey,
    { from, strict = false }: { from?: string | undefined; strict?: boolean } = {},
  ): Promise<Admitted | undefined> {
    const { accessKeyId: name } = key;
    const attempt = (work: () => Promise<Admitted | undefined>) => this.#limits.attempt(name, from, work);
    if (strict) return attempt(async () => this.#judge(key, await this.#directory.findAccessKey(name)));
    const known = await this.#directory.findAccessKey(name);
    return this.#mayBePassword(name, known) ? attempt(() => this.#judge(key, known)) : this.#judge(key, known);
  }

  async #judge(key: AccessKey, known: OwnedKey | undefined): Promise<Admitted | undefined> {
    // Always compares: the time must not reveal whether the key exists.
    const right = equalSecrets(known?.secretAccessKey ?? '', key.secretAccessKey) && known !== undefined;
    const username = right ? known.username : this.#mayBePassword(key.accessKeyId, known) ? await this.#ask(key) : undefined;
    const user = username === undefined ? undefined : await this.#directory.findUser(username);
    return user && { user, byAccessKey: right };
  }

  #mayBePassword(name: string, known: OwnedKey | undefined): boolean {
    return !known && !looksLikeAccessKey.test(name) && this.#providers.length > 0;
  }

  async #ask(key: AccessKey): Promise<string | undefined> {
    const digest = createHmac('sha256', this.#salt)
      .update(JSON.stringify([key.accessKeyId, key.secretAccessKey]))
      .digest('base64');
    const found = await this.#recent.get(digest, async () => {
      let fault: unknown;
      for (const provider of this.#providers) {
        try {
          const username = await provider.signIn(key);
          if (username !== undefined) return { username };
        } catch (error) {
          fault ??= error;
        }
      }
      if (fault !== undefined) throw fault;
      return undefined;
    });
    return found?.username;
  }
}

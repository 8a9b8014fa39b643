/** Ways to come in with a name and a password that is not an access key: directories elsewhere, passwords of our own. */
import { createHmac, randomBytes } from 'node:crypto';
import { equalSecrets } from './access-keys.js';
import type { AccessKey, User } from '@srv/kernel';
import { ExpiringCache } from '@srv/lib-cache';
import type { CacheOptions } from '@srv/lib-cache';
import type { LoginLimits } from './login-limits.js';
import type { UserDirectory } from './user-directory.js';

export interface SignIn {
  /** For the log. */
  readonly name: string;
  /** Pairs are name and password of people, and no access keys: login pages say so. */
  readonly asksForNames?: boolean;
  /**
   * Name of the user that the pair belongs to; `undefined`: unknown or wrong.
   * @throws whatever kept it from finding out, which is not a refusal.
   */
  signIn(key: AccessKey): Promise<string | undefined>;
}

/** Of the names we and others make up for access keys. Their secrets are too long to guess, and nobody else's business. */
const looksLikeAccessKey = /^AKIA[A-Z0-9]{16}$/;

export interface Admitted {
  readonly user: User;
  /** The pair is an access key of the user. */
  readonly byAccessKey: boolean;
}

export class SignIns {
  readonly #directory: UserDirectory;
  readonly #limits: LoginLimits;
  readonly #providers: SignIn[] = [];
  /** Who came in lately: a client that sends its password with each request does not ask elsewhere each time. */
  readonly #recent: ExpiringCache<{ readonly username: string }>;
  /** Passwords are never kept, nor anything they could be found from once the process has ended. */
  readonly #salt = randomBytes(32);

  constructor(directory: UserDirectory, limits: LoginLimits, cache: CacheOptions) {
    this.#directory = directory;
    this.#limits = limits;
    this.#recent = new ExpiringCache(cache);
  }

  add(way: SignIn): void {
    this.#providers.push(way);
  }

  /** Whether people come in with their names. */
  get askForNames(): boolean {
    return this.#providers.some(({ asksForNames }) => asksForNames === true);
  }

  /** A password has changed: who came in with the old one has to try again. */
  forget(): Promise<void> {
    return this.#recent.clear();
  }

  /**
   * @param options.strict waits count for access keys, too. They are too long to guess, and programs that send theirs
   * with every request must not suffer from what others try.
   * @throws SrvError `too_many_tries`; the fault of a way in, when none admits the pair.
   */
  async admit(
    key: AccessKey,
    { from, strict = false }: { from?: string | undefined; strict?: boolean } = {},
  ): Promise<Admitted | undefined> {
    const { accessKeyId: name } = key;
    if (strict) this.#limits.check(name, from);
    const known = await this.#directory.findAccessKey(name);
    // Compares against something in any case: the time must not tell whether the key exists.
    const right = equalSecrets(known?.secretAccessKey ?? '', key.secretAccessKey) && known !== undefined;
    const isPassword = !known && this.#providers.length > 0 && !looksLikeAccessKey.test(name);
    if (isPassword) this.#limits.check(name, from);
    const username = right ? known.username : isPassword ? await this.#ask(key) : undefined;
    const user = username === undefined ? undefined : await this.#directory.findUser(username);
    if (strict || isPassword) {
      if (user) this.#limits.succeeded(name, from);
      else this.#limits.failed(name, from);
    }
    return user && { user, byAccessKey: right };
  }

  async #ask(key: AccessKey): Promise<string | undefined> {
    const digest = createHmac('sha256', this.#salt)
      .update(JSON.stringify([key.accessKeyId, key.secretAccessKey]))
      .digest('base64');
    const found = await this.#recent.get(digest, async () => {
      let fault: unknown;
      for (const way of this.#providers) {
        try {
          const username = await way.signIn(key);
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

/** Login tokens that can be taken back: each user has an epoch, and ending its sessions begins a new one. */
import { SrvError, absent } from '@srv/kernel';
import { ExpiringCache } from '@srv/kernel/cache';
import { keyPart } from './key-part.js';
import { seconds, signLogin, verifyLogin } from './token.js';
import type { KvStore, LoginToken, SessionLimits, User } from '@srv/kernel';
import type { CacheOptions } from '@srv/kernel/cache';
import type { Login } from './token.js';
import type { UserDirectory } from './user-directory.js';

export interface SessionParts {
  readonly kv: KvStore;
  /** Partition of the epochs, in keys `sessionEpochs/<user>`. */
  readonly partition: string;
  readonly directory: UserDirectory;
  readonly secretKey: string;
  readonly cache: CacheOptions;
  /** Milliseconds. */
  readonly duration: number;
  /** Milliseconds. */
  readonly maxDuration: number;
}

export interface SessionOptions extends SessionLimits {
  /** Milliseconds until neither the token nor its renewals are valid; absent: usual for the token, and it can be renewed without end. */
  readonly duration?: number | undefined;
}

/** Milliseconds since 1970: the last time that a Date can be. */
const lastTime = 8.64e15;

export class Sessions {
  readonly #parts: SessionParts;
  readonly #epochs: ExpiringCache<{ readonly epoch: number }>;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#epochs = new ExpiringCache(parts.cache);
  }

  /** @throws SrvError `unauthenticated` for a user who does not exist or is deactivated. */
  async issue(username: string, options: SessionOptions = {}): Promise<LoginToken> {
    return this.#issueIn(await this.#readEpoch(username), username, options);
  }

  async #issueIn(epoch: number, username: string, { duration, accessKeyId, endsAt }: SessionOptions): Promise<LoginToken> {
    const { directory, secretKey, maxDuration, duration: usual } = this.#parts;
    const user = await directory.findUser(username);
    if (!user) throw new SrvError('unauthenticated', 'error authenticating request');
    const now = Date.now();
    const latestEnd = Math.min(duration === undefined ? lastTime : now + duration, endsAt?.getTime() ?? lastTime, lastTime);
    const expiresAt = new Date(Math.min(now + Math.min(duration ?? usual, maxDuration), latestEnd));
    const login = {
      username,
      epoch,
      accessKeyId,
      latestEnd: latestEnd === lastTime ? undefined : seconds(new Date(latestEnd)),
      userCreated: seconds(user.createdAt),
    };
    return { token: signLogin(login, secretKey, new Date(now), expiresAt), expiresAt };
  }

  /** The user who holds a login token; `undefined` when it is not one, has expired or was taken back. */
  async userOf(token: string): Promise<User | undefined> {
    const { secretKey, directory } = this.#parts;
    const login = verifyLogin(token, secretKey, new Date());
    if (!login || login.epoch !== (await this.#epochOf(login.username, login.epoch))) return undefined;
    if (login.accessKeyId !== undefined && (await directory.findAccessKey(login.accessKeyId))?.username !== login.username)
      return undefined;
    const user = await directory.findUser(login.username);
    // Where another server deletes users, no epoch separates namesakes. Its own times are compared, so that no clocks are.
    const isNamesake = user && login.userCreated !== undefined && login.userCreated !== seconds(user.createdAt);
    return isNamesake || !user ? undefined : { ...user, session: { accessKeyId: login.accessKeyId, endsAt: endOf(login) } };
  }

  /** A new token for one that is valid, which ends with the same access key and has the same latest end; `undefined` for any other text. */
  async renew(token: string): Promise<LoginToken | undefined> {
    const login = verifyLogin(token, this.#parts.secretKey, new Date());
    if (!login || !(await this.userOf(token))) return undefined;
    // Of the same epoch: where it is not known yet that the session was ended, it must not begin again.
    return this.#issueIn(login.epoch, login.username, { accessKeyId: login.accessKeyId, endsAt: endOf(login) });
  }

  /** Ends every session of the user. Also before its name may be given to another user. */
  async revoke(username: string): Promise<void> {
    const { kv, partition } = this.#parts;
    const key = epochKey(username);
    for (let attempt = 0; attempt < 20; attempt++) {
      const found = await kv.get(partition, key);
      const next = Buffer.from(String(epochIn(found?.value) + 1), 'utf8');
      if (await kv.setIf(partition, key, next, found?.predicate ?? absent)) return this.#epochs.forget(username);
    }
    throw new SrvError('too_many_tries', `sessions of user ${username} are being ended by others, too: try again`);
  }

  /** @param known the epoch of a token: an older one in the cache is outdated. */
  async #epochOf(username: string, known: number): Promise<number> {
    const load = async () => ({ epoch: await this.#readEpoch(username) });
    const found = await this.#epochs.get(username, load);
    if (found.epoch >= known) return found.epoch;
    await this.#epochs.forget(username);
    return (await this.#epochs.get(username, load)).epoch;
  }

  async #readEpoch(username: string): Promise<number> {
    const { kv, partition } = this.#parts;
    return epochIn((await kv.get(partition, epochKey(username)))?.value);
  }
}

const endOf = ({ latestEnd }: Login): Date | undefined => (latestEnd === undefined ? undefined : new Date(latestEnd * 1000));

function epochKey(username: string): Buffer {
  return Buffer.from(`sessionEpochs/${keyPart(username)}`, 'utf8');
}

function epochIn(value: Buffer | undefined): number {
  return value ? Number(value.toString('utf8')) : 0;
}

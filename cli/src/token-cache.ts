/** The login token between runs: a file that only its owner can read, whole at every moment. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@srv/kernel';
import { cacheFolder } from './cache-folder.js';

export interface CachedToken {
  readonly token: string;
  /** Unix seconds. */
  readonly expiresAt: number;
}

export class TokenCache {
  readonly #folder: string;
  readonly #file: string;
  readonly #owner: string | undefined;

  /**
   * @param endpoint of the server the token is for: it is shown to no other one.
   * @param kind of token: each is a file of its own.
   * @param owner whose tokens these are, where a server may know the caller as several users: a token of another owner is not read.
   */
  constructor(endpoint: string, folder = cacheFolder(), kind: 'token' | 'session' = 'token', owner?: string) {
    this.#folder = folder;
    this.#owner = owner;
    const name = createHash('sha256').update(endpoint).digest('hex').slice(0, 16);
    this.#file = join(folder, `${kind}-${name}.json`);
  }

  /** `undefined` when there is no token, or it cannot be used. */
  async read(): Promise<CachedToken | undefined> {
    return this.#read();
  }

  #read(): CachedToken | undefined {
    try {
      const { token, expiration_time: expiresAt, owner } = JSON.parse(readFileSync(this.#file, 'utf8')) as Record<string, unknown>;
      if (owner !== this.#owner) return undefined;
      return typeof token === 'string' && token !== '' && typeof expiresAt === 'number' ? { token, expiresAt } : undefined;
    } catch {
      return undefined;
    }
  }

  exists(): boolean {
    return existsSync(this.#file);
  }

  async remove(): Promise<void> {
    await rm(this.#file, { force: true });
  }

  /** Replaces the token at once, so that programs that run beside see the old one or the new one. */
  async write(token: CachedToken): Promise<void> {
    await this.#write(token, () => true);
  }

  /**
   * As {@link write}, unless another program has removed or replaced the token meanwhile.
   * @returns whether it was replaced.
   */
  replace(before: CachedToken, token: CachedToken): Promise<boolean> {
    return this.#write(token, () => this.#read()?.token === before.token);
  }

  async #write({ token, expiresAt }: CachedToken, isWanted: () => boolean): Promise<boolean> {
    await makeFolder(this.#folder, 0o700);
    await chmod(this.#folder, 0o700);
    const temporary = `${this.#file}.${randomBytes(6).toString('hex')}`;
    try {
      await writeFile(temporary, JSON.stringify({ token, expiration_time: expiresAt, owner: this.#owner }), { mode: 0o600, flag: 'wx' });
      // Nothing waits in between: a login or logout of another program hardly fits in.
      if (!isWanted()) return false;
      renameSync(temporary, this.#file);
      return true;
    } finally {
      await rm(temporary, { force: true });
    }
  }
}

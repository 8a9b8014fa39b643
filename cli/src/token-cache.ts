/** The login token between runs: a file that only its owner can read, whole at every moment. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
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
    try {
      const { token, expiration_time: expiresAt, owner } = JSON.parse(await readFile(this.#file, 'utf8')) as Record<string, unknown>;
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
  async write({ token, expiresAt }: CachedToken): Promise<void> {
    await makeFolder(this.#folder, 0o700);
    await chmod(this.#folder, 0o700);
    const temporary = `${this.#file}.${randomBytes(6).toString('hex')}`;
    try {
      await writeFile(temporary, JSON.stringify({ token, expiration_time: expiresAt, owner: this.#owner }), { mode: 0o600, flag: 'wx' });
      await rename(temporary, this.#file);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }
}

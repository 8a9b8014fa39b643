/** Who may call the service: servers that bear its token. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { SrvError } from '@srv/kernel';
import { isServiceToken } from '@srv/lib-auth/authorization';

export class Callers {
  readonly #token: string | undefined;
  readonly #secretKey: string;

  /** @param token of all callers; without one they sign theirs with `secretKey`. */
  constructor(token: string | undefined, secretKey: string) {
    this.#token = token || undefined;
    this.#secretKey = secretKey;
  }

  /** @throws SrvError `unauthenticated`. */
  check(authorization: unknown): void {
    const given = /^bearer +(\S+) *$/i.exec(typeof authorization === 'string' ? authorization : '')?.[1];
    const known = given !== undefined && (this.#token === undefined ? isServiceToken(given, this.#secretKey) : same(given, this.#token));
    if (!known) throw new SrvError('unauthenticated', 'error authenticating request');
  }
}

function same(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

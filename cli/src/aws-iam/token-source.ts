/** Login tokens by AWS IAM: kept between runs, and renewed in time. */
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { identityToken } from './identity-proof.js';
import type { CachedToken, TokenCache } from '../token-cache.js';
import type { AwsCredentials } from './identity-proof.js';

interface TokenSourceOptions {
  /** With or without `/api/v1`. */
  readonly endpoint: string;
  /** Milliseconds. */
  readonly tokenTtl: number;
  /** Milliseconds. */
  readonly urlTtl: number;
  /** A token is renewed when it ends within this time, in milliseconds. */
  readonly refreshInterval: number;
  /** Signed in addition to the host; empty: the name of the server. */
  readonly headers: Readonly<Record<string, string>>;
  readonly cache: TokenCache;
  credentials(): Promise<{ readonly credentials: AwsCredentials; readonly region: string | undefined }>;
  readonly now?: () => Date;
}

export class TokenSource {
  readonly #options: TokenSourceOptions;
  #known: Promise<CachedToken | undefined> | undefined;
  #renewing: Promise<CachedToken> | undefined;

  constructor(options: TokenSourceOptions) {
    this.#options = options;
  }

  /**
   * A token that stays valid for a while.
   * @throws SrvError `unauthenticated` when the server has to issue one and refuses; Error when another attempt may succeed.
   */
  async token(): Promise<string> {
    this.#known ??= this.#options.cache.read();
    const known = await this.#known;
    if (known && !this.#endsSoon(known)) return known.token;
    // Many transfers run at once: one of them renews.
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return (await this.#renewing).token;
  }

  #endsSoon({ expiresAt }: CachedToken): boolean {
    return this.#now().getTime() + this.#options.refreshInterval >= expiresAt * 1000;
  }

  async #renew(): Promise<CachedToken> {
    const { cache } = this.#options;
    const fresh = await this.#logIn();
    this.#known = Promise.resolve(fresh);
    // Without the file the next run logs in again.
    await cache.write(fresh).catch((error: unknown) => process.stderr.write(`token not kept: ${messageOf(error)}\n`));
    return fresh;
  }

  async #logIn(): Promise<CachedToken> {
    const { endpoint, tokenTtl, urlTtl, headers, credentials } = this.#options;
    const given = await credentials().catch((error: unknown) => {
      throw isSrvError(error) ? error : refused(`AWS credentials: ${messageOf(error)}`, error);
    });
    const base = new URL(endpoint);
    const signed = Object.keys(headers).length > 0 ? headers : { 'X-LakeFS-Server-ID': base.hostname };
    const proof = identityToken({ ...given, validity: Math.max(1, Math.round(urlTtl / 1000)), headers: signed, now: this.#now() });
    const path = base.pathname.replace(/(?<!\/)\/+$/, '') || '/api/v1';
    const response = await fetch(new URL(`${path}/auth/external/principal/login`, base), {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ identityRequest: { identity_token: proof }, token_expiration_duration: Math.round(tokenTtl / 1000) }),
      signal: AbortSignal.timeout(60_000),
    });
    const answer = (await response.json().catch(() => ({}))) as { token?: unknown; token_expiration?: unknown; message?: unknown };
    const { token, token_expiration: expiresAt, message } = answer;
    if (!response.ok || typeof token !== 'string') {
      const { status } = response;
      const text = `login by AWS IAM at ${base.origin}: ${typeof message === 'string' ? message : `status ${status}`} (${status})`;
      // Another attempt may succeed.
      throw status === 429 || status >= 500 ? new Error(text) : refused(text);
    }
    return { token, expiresAt: typeof expiresAt === 'number' ? expiresAt : Math.floor((this.#now().getTime() + tokenTtl) / 1000) };
  }

  #now(): Date {
    return this.#options.now?.() ?? new Date();
  }
}

/** Final: the client of the API neither repeats the request nor takes it for a failure of the connection. */
function refused(message: string, cause?: unknown): SrvError {
  return new SrvError('unauthenticated', message, { cause });
}

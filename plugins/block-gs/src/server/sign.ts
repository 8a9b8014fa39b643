/** Signed URLs, version 4. */
import { createHash, createPrivateKey, sign as signBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { messageOf } from '@srv/kernel';
import { CredentialsFailure, RequestFailure } from './errors.js';
import { identityCall } from './identity-calls.js';
import type { KeyObject } from 'node:crypto';
import type { Storage } from '@google-cloud/storage';
import type { BucketKey, PreSigned } from '@srv/lib-stores/block';

export interface SignOptions {
  readonly mode: 'read' | 'write';
  /** Milliseconds from now. */
  readonly expiresIn: number;
  readonly disposition?: string | undefined;
}

/** The key of a service account. */
interface SigningAccount {
  readonly email: string;
  /** PEM */
  readonly privateKey: string;
}

const algorithm = 'GOOG4-RSA-SHA256';
const inThread = promisify<string, Buffer, KeyObject, Buffer>(signBytes);

export class UrlSigner {
  readonly #storage: Storage;
  readonly #limitMs: number;
  readonly #account: SigningAccount | undefined;
  #key: KeyObject | undefined;

  /**
   * @param limitMs milliseconds that a service may take to sign.
   * @param account absent: the library finds credentials, and the service signs for identities without a key.
   */
  constructor(storage: Storage, limitMs: number, account?: SigningAccount) {
    this.#storage = storage;
    this.#limitMs = limitMs;
    this.#account = account;
  }

  async sign(object: BucketKey, options: SignOptions): Promise<PreSigned & { expiry: Date }> {
    // Signatures count whole seconds, from one to seven days.
    const date = new Date(Math.floor(Date.now() / 1000) * 1000);
    const expiry = new Date(date.getTime() + Math.max(1, Math.floor(options.expiresIn / 1000)) * 1000);
    try {
      return { url: await this.signUntil(object, options, date, expiry), expiry };
    } catch (error) {
      if (error instanceof RequestFailure) throw error;
      throw new CredentialsFailure(`URLs cannot be signed: ${messageOf(error)}`);
    }
  }

  async signUntil(object: BucketKey, options: Omit<SignOptions, 'expiresIn'>, date: Date, expiry: Date): Promise<string> {
    if (this.#account === undefined) return identityCall(signByLibrary(this.#storage, object, options, date, expiry), this.#limitMs);
    const { email, privateKey } = this.#account;
    this.#key ??= createPrivateKey(privateKey);
    const { origin, hostname } = new URL(this.#storage.apiEndpoint);
    const time = `${date.toISOString().replaceAll(/[-:]/g, '').slice(0, 15)}Z`;
    const scope = `${time.slice(0, 8)}/auto/storage/goog4_request`;
    const path = `/${object.bucket}/${object.key.split('/').map(encode).join('/')}`;
    const query = canonicalQuery({
      'X-Goog-Algorithm': algorithm,
      'X-Goog-Credential': `${email}/${scope}`,
      'X-Goog-Date': time,
      'X-Goog-Expires': String(Math.floor(expiry.getTime() / 1000) - Math.floor(date.getTime() / 1000)),
      'X-Goog-SignedHeaders': 'host',
      ...(options.disposition === undefined ? {} : { 'response-content-disposition': options.disposition }),
    });
    const method = options.mode === 'read' ? 'GET' : 'PUT';
    const request = `${method}\n${path}\n${query}\nhost:${hostname}\n\nhost\nUNSIGNED-PAYLOAD`;
    const text = `${algorithm}\n${time}\n${scope}\n${createHash('sha256').update(request).digest('hex')}`;
    // RSA takes most of a millisecond: in a thread of its own it delays no other request.
    const signature = await inThread('RSA-SHA256', Buffer.from(text), this.#key);
    return `${origin}${path}?${query}&X-Goog-Signature=${signature.toString('hex')}`;
  }
}

/** Signed with the key of the service account, or by the service for an identity that may sign. */
export async function signByLibrary(
  storage: Storage,
  { bucket, key }: BucketKey,
  { mode, disposition }: Omit<SignOptions, 'expiresIn'>,
  date: Date,
  expiry: Date,
): Promise<string> {
  const [url] = await storage
    .bucket(bucket)
    .file(key)
    .getSignedUrl({
      version: 'v4',
      action: mode,
      accessibleAt: date,
      expires: expiry,
      ...(disposition === undefined ? {} : { responseDisposition: disposition }),
    });
  return url;
}

function canonicalQuery(parameters: Readonly<Record<string, string>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

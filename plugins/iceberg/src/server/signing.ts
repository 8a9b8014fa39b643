/**
 * Signs single requests to the S3 gateway, for clients that get no key: with a temporary key for the files of the table, which
 * lasts as long as the token of the caller. What it allows is decided when the request arrives.
 */
import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { CatalogError } from './errors.js';
import { isObject } from './exact-json.js';
import type { TemporaryKey } from './credentials.js';
import type { JsonObject } from './exact-json.js';

export interface RequestToSign {
  readonly region: string;
  readonly method: string;
  /** Whole, as the client sends it. */
  readonly uri: string;
  readonly headers: Readonly<Record<string, readonly string[]>>;
}

const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];
/** Characters of an address. */
const maxUri = 8192;
const unsignedPayload = 'UNSIGNED-PAYLOAD';

/** @throws CatalogError 400. */
export function requestToSign(body: JsonObject): RequestToSign {
  const { region, method, uri, headers } = body;
  const refuse = (reason: string): never => {
    throw new CatalogError(400, 'BadRequestException', reason);
  };
  if (typeof method !== 'string' || !methods.includes(method)) return refuse(`only requests of ${methods.join(', ')} are signed`);
  if (typeof region !== 'string' || !/^[a-z0-9-]{1,64}$/i.test(region)) return refuse('region must be a name such as us-east-1');
  if (typeof uri !== 'string' || uri.length > maxUri || !URL.canParse(uri) || !/^https?:/.test(uri))
    return refuse('uri must be an address that begins with http:// or https://');
  if (!isObject(headers) || !Object.values(headers).every(isTextList)) return refuse('headers must be an object of lists of texts');
  return { region, method, uri, headers: headers as Record<string, string[]> };
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every(text => typeof text === 'string');
}

/** @param location of the table. @throws CatalogError 403 for a file that is not one of the table's. */
export function demandInside(uri: string, location: string): void {
  const { pathname } = new URL(uri);
  const [bucket = '', ...rest] = location.slice('s3://'.length).split('/');
  const key = pathname.startsWith(`/${bucket}/`) ? pathname.slice(bucket.length + 2) : '';
  // Without a key, such as in a listing, the prefix is checked by the gateway, as everything is.
  const isInside = key.startsWith(`${rest.join('/')}/`) && !pathname.split('/').some(part => /^(\.|%2e){1,2}$/i.test(part));
  if (pathname === `/${bucket}` || pathname === `/${bucket}/` || isInside) return;
  throw new CatalogError(403, 'ForbiddenException', `${pathname.slice(0, 300)} is not a file of the table, which are below ${location}/`);
}

/** @returns the headers to add to the request. */
export async function signedHeaders(
  { region, method, uri, headers }: RequestToSign,
  { accessKeyId, secretAccessKey, sessionToken }: TemporaryKey,
): Promise<Record<string, string[]>> {
  const url = new URL(uri);
  const own = Object.entries(headers).map(([name, values]) => [name.toLowerCase(), values.join(',')] as const);
  const given = Object.fromEntries(own.filter(([name]) => name.startsWith('x-amz-')));
  const query = Object.fromEntries([...new Set(url.searchParams.keys())].map(name => [name, url.searchParams.getAll(name)]));
  const toSign = { ...given, host: url.host, 'x-amz-content-sha256': given['x-amz-content-sha256'] ?? unsignedPayload };
  const signer = new SignatureV4({
    credentials: { accessKeyId, secretAccessKey, sessionToken },
    region,
    service: 's3',
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false,
  });
  const request = { method, protocol: url.protocol, hostname: url.hostname, path: url.pathname, query, headers: toSign };
  const signed = await signer.sign(request);
  const known = new Set(own.map(([name]) => name));
  const added = Object.entries(signed.headers).filter(([name]) => name !== 'host' && !known.has(name.toLowerCase()));
  return Object.fromEntries(added.map(([name, value]) => [name, [String(value)]]));
}

/** As the signer wants it. */
class Sha256 {
  readonly #hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }

  update(chunk: Uint8Array | string): void {
    this.#hash.update(chunk);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  /** The signer makes a new one for each text. */
  reset(): void {}
}

function bytesOf(secret: string | ArrayBuffer | ArrayBufferView): string | Uint8Array {
  if (typeof secret === 'string') return secret;
  return ArrayBuffer.isView(secret) ? new Uint8Array(secret.buffer, secret.byteOffset, secret.byteLength) : new Uint8Array(secret);
}

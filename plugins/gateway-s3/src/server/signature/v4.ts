/** Signature version 4: canonical request, string to sign, key (the S3 gateway sheet, section 2.2). */
import { createHash, createHmac, createSecretKey } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { percentDecode, percentEncode } from '../protocol/percent.js';
import { equalText } from './compare.js';
import { authority } from './request.js';
import type { KeyObject } from 'node:crypto';
import type { ChunkSigner } from '../body/chunks.js';
import type { SignedRequest } from './request.js';

export const algorithm = 'AWS4-HMAC-SHA256';
export const unsignedPayload = 'UNSIGNED-PAYLOAD';

export interface Scope {
  /** `YYYYMMDD`. */
  readonly day: string;
  readonly region: string;
  readonly service: string;
}

interface V4Signature {
  readonly scope: Scope;
  /** As sent, separated by `;`. */
  readonly signedHeaders: string;
  /** `YYYYMMDDTHHMMSSZ`. */
  readonly date: string;
  readonly payloadHash: string;
  readonly signature: string;
}

const emptyHash = createHash('sha256').digest('hex');

function scopeText({ day, region, service }: Scope): string {
  return `${day}/${region}/${service}/aws4_request`;
}

/** Whether `given` signs `request`. Clients may have encoded the path in their own way, or in the standard one. */
export function isSignedBy(request: SignedRequest, given: V4Signature, secret: string): boolean {
  const key = signingKey(secret, given.scope);
  return canonicalPaths(request.path).some(path => {
    const hash = createHash('sha256')
      .update(canonicalRequest(request, path, given), 'latin1')
      .digest('hex');
    return equalText(hmacHex(key, [algorithm, given.date, scopeText(given.scope), hash].join('\n')), given.signature);
  });
}

/** @bound characters of proofs */
const maxProofs = 4 << 20;

/** A longer request is checked each time. */
const longestProof = 4096;

/** What was found to be signed. The request of a pre-signed URL is sent again and again. */
const proofs = new LRUCache<string, true>({ maxSize: maxProofs, sizeCalculation: (_, proof) => proof.length });

/** As {@link isSignedBy}; the same request is checked once. */
export function isKnownSigned(request: SignedRequest, given: V4Signature, secret: string): boolean {
  const { method, path, query, headers } = request;
  const lines = given.signedHeaders.split(';').map(name => headers.all(headerOf(name)).join('\n'));
  const proof = JSON.stringify([secret, method, path, query.raw, given.date, given.payloadHash, lines]);
  if (proofs.has(proof)) return true;
  const isSigned = isSignedBy(request, given, secret);
  if (isSigned && proof.length <= longestProof) proofs.set(proof, true);
  return isSigned;
}

function canonicalPaths(raw: string): string[] {
  const decoded = percentDecode(raw);
  const standard = decoded === undefined ? raw : percentEncode(decoded, '/');
  return standard === raw ? [raw] : [standard, raw];
}

/** Header values are latin-1: one character a byte. */
function canonicalRequest({ method, query, headers }: SignedRequest, path: string, { signedHeaders, payloadHash }: V4Signature): string {
  const lines = signedHeaders
    .split(';')
    .sort(byBytes)
    .map(name => `${name}:${canonicalValue(headers.all(headerOf(name)))}\n`);
  return [method, path, canonicalQuery(query.pairs), lines.join(''), signedHeaders, payloadHash].join('\n');
}

/** The line that a signed name is about. */
function headerOf(name: string): string {
  return name === authority ? 'host' : name.toLowerCase();
}

function canonicalValue(values: readonly string[]): string {
  return values.map(value => value.trim().replace(/\s+/g, ' ')).join(',');
}

function canonicalQuery(pairs: readonly (readonly [string, string])[]): string {
  return pairs
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [percentEncode(name), percentEncode(value)] as const)
    .sort((a, b) => byBytes(a[0], b[0]) || byBytes(a[1], b[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** @bound keys of signatures */
const maxSigningKeys = 1000;

/** Keys by secret and scope, which is the caller's choice: they hold for a day, and making one costs more than a signature. */
const signingKeys = new LRUCache<string, KeyObject>({ max: maxSigningKeys });

function signingKey(secret: string, scope: Scope): KeyObject {
  const name = `${scopeText(scope)} ${secret}`;
  const known = signingKeys.get(name);
  if (known) return known;
  const { day, region, service } = scope;
  const bytes = [day, region, service, 'aws4_request'].reduce<Buffer>(
    (made, part) => hmac(made, part),
    Buffer.from(`AWS4${secret}`, 'utf8'),
  );
  // Kept as an object: on Node.js 24 making it from bytes costs six times a signature.
  const key = createSecretKey(bytes);
  signingKeys.set(name, key);
  return key;
}

/** Signs a text that is not a request. @returns hexadecimal. */
export function signText(text: string, scope: Scope, secret: string): string {
  return hmacHex(signingKey(secret, scope), text);
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}

function hmacHex(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text, 'utf8').digest('hex');
}

/** Continues the chain of signatures that begins with the request's own. */
export function chunkSigner({ scope, date, signature }: V4Signature, secret: string): ChunkSigner {
  const key = signingKey(secret, scope);
  let previous = signature;
  const check = (kind: string, hashes: readonly string[], given: string): boolean => {
    const expected = hmacHex(key, [`${algorithm}-${kind}`, date, scopeText(scope), previous, ...hashes].join('\n'));
    previous = expected;
    return equalText(expected, given);
  };
  return {
    checkChunk: (hash, given) => check('PAYLOAD', [emptyHash, hash], given),
    checkTrailer: (hash, given) => check('TRAILER', [hash], given),
  };
}

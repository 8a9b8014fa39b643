/** What the fake of Google Cloud Storage answers: objects as JSON, refusals, and what it refuses for. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Facts, GsObjects, KeyHash, StoredObject } from './gs-objects.js';

export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  /** Decoded, by name in the pattern. */
  readonly path: Readonly<Record<string, string>>;
}

export interface Metadata {
  readonly name?: string;
  readonly md5Hash?: string;
  readonly crc32c?: string;
  readonly storageClass?: string;
  readonly contentType?: string;
  readonly metadata?: Record<string, string>;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/** An answer other than success. */
export class Refusal extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** Hashes of an object under a customer's key are returned only to clients with the key. */
export function resource(stored: StoredObject, key: KeyHash): unknown {
  const { bucket, name, generation, size, created, crc32c, md5Hash, storageClass, contentType, metadata, kmsKeyName } = stored;
  const visible = stored.keyHash === undefined || stored.keyHash === key;
  return {
    kind: 'storage#object',
    id: `${bucket}/${name}/${generation}`,
    bucket,
    name,
    generation: String(generation),
    metageneration: '1',
    size: String(size),
    timeCreated: created.toISOString(),
    updated: created.toISOString(),
    storageClass,
    contentType,
    metadata,
    etag: Buffer.from(String(generation)).toString('base64'),
    ...(visible ? { crc32c, md5Hash } : {}),
    ...(kmsKeyName === undefined ? {} : { kmsKeyName: `${kmsKeyName}/cryptoKeyVersions/1` }),
    ...(stored.keyHash === undefined ? {} : { customerEncryption: { encryptionAlgorithm: 'AES256', keySha256: stored.keyHash } }),
  };
}

export function keyHash({ headers }: IncomingMessage, kind = 'encryption'): KeyHash {
  const key = headers[`x-goog-${kind}-key`];
  if (typeof key !== 'string') return undefined;
  const hash = createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64');
  if (
    Buffer.from(key, 'base64').length !== 32 ||
    hash !== headers[`x-goog-${kind}-key-sha256`] ||
    headers[`x-goog-${kind}-algorithm`] !== 'AES256'
  )
    throw new Refusal(400, 'invalid', 'The encryption headers do not agree with each other.');
  return hash;
}

export function checkKey(stored: StoredObject, key: KeyHash): void {
  if (stored.keyHash === key) return;
  if (stored.keyHash === undefined)
    throw new Refusal(
      400,
      'resourceNotEncryptedWithCustomerEncryptionKey',
      'The target object is not encrypted by a customer-supplied encryption key.',
    );
  if (key === undefined)
    throw new Refusal(
      400,
      'resourceIsEncryptedWithCustomerEncryptionKey',
      'The target object is encrypted by a customer-supplied encryption key.',
    );
  throw new Refusal(400, 'customerEncryptionKeyIsIncorrect', 'The provided encryption key is incorrect.');
}

export function send(response: ServerResponse, { status = 200, headers = {}, json }: Answer): void {
  response.writeHead(status, { ...headers, ...(json === undefined ? { 'content-length': '0' } : { 'content-type': 'application/json' }) });
  response.end(json === undefined ? undefined : JSON.stringify(json));
}

export async function readJson<T>(request: IncomingMessage): Promise<T> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return (chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {}) as T;
}

export async function* none(): AsyncGenerator<Buffer> {}

export function checkBucket(objects: GsObjects, bucket: string): void {
  if (!objects.hasBucket(bucket)) throw new Refusal(404, 'notFound', 'The specified bucket does not exist.');
}

const maxNameBytes = 1024;

export function checkName(name: string | undefined): string {
  if (!name || Buffer.byteLength(name) > maxNameBytes || /[\r\n]/.test(name) || name === '.' || name === '..')
    throw new Refusal(400, 'invalid', `Invalid object name: ${name}`);
  return name;
}

export function checkConditions(query: URLSearchParams, stored: StoredObject | undefined): void {
  const wanted = query.get('ifGenerationMatch');
  if (wanted !== null && Number(wanted) !== (stored?.generation ?? 0))
    throw new Refusal(412, 'conditionNotMet', 'At least one of the pre-conditions you specified did not hold.');
}

/** What a request says of the object it makes. */
export function factsOf({ request, query }: Call, { storageClass, contentType, metadata }: Metadata): Facts {
  const kmsKeyName = query.get('kmsKeyName');
  return {
    keyHash: keyHash(request),
    ...(storageClass === undefined ? {} : { storageClass }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(metadata ? { metadata } : {}),
    ...(kmsKeyName === null ? {} : { kmsKeyName }),
  };
}

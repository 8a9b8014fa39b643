/**
 * A fake of Google Cloud Storage: what the block store driver and the client library need of the JSON API, resumable
 * uploads, and signed URLs. It checks what the service checks: preconditions, hashes sent along, the limit of 32 sources,
 * customer-supplied keys, part alignment, signatures and their expiry.
 */
import { createHash, randomUUID } from 'node:crypto';
import { type Multipart, relatedParts } from './gs-related.js';
import type { GsObjects } from './gs-objects.js';
import { checkSignature } from './gs-signature.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Facts, KeyHash, ReceivedBytes, StoredObject } from './gs-objects.js';

interface Session {
  readonly bucket: string;
  readonly name: string;
  readonly facts: Facts;
  readonly query: URLSearchParams;
  readonly file: string;
  received: number;
}

interface Metadata {
  readonly name?: string;
  readonly md5Hash?: string;
  readonly crc32c?: string;
  readonly storageClass?: string;
  readonly contentType?: string;
  readonly metadata?: Record<string, string>;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/** An answer other than success. */
class Refusal extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

type Handler = (request: Call) => Promise<Answer | undefined>;

interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  /** Decoded, by name in the pattern. */
  readonly path: Readonly<Record<string, string>>;
}

const maxSources = 32;
const maxNameBytes = 1024;
const chunkAlignment = 256 << 10;
const pageSize = 1000;

export class GsFake {
  readonly objects: GsObjects;
  /** Public key in PEM of the account that signs URLs. */
  readonly #signer: string;
  readonly #sessions = new Map<string, Session>();
  /** Bytes a rewrite copies before it asks to be called again. */
  rewriteBytes = Number.POSITIVE_INFINITY;
  readonly #rewrites = new Map<string, number>();
  readonly #routes: readonly (readonly [string, RegExp, Handler])[];

  constructor(objects: GsObjects, signer: string) {
    this.objects = objects;
    this.#signer = signer;
    // The client drops `/storage/v1` when the variable STORAGE_EMULATOR_HOST is set.
    const bucket = '^(?:/download)?(?:/storage/v1)?/b/(?<bucket>[^/]+)';
    const object = `${bucket}/o/(?<name>[^/]+)`;
    const routes: readonly (readonly [string, string, Handler])[] = [
      ['POST', '^(?:/storage/v1)?/b$', call => this.#createBucket(call)],
      ['GET', `${bucket}$`, call => this.#getBucket(call)],
      ['GET', `${bucket}/o$`, call => this.#list(call)],
      ['GET', `${object}$`, call => this.#get(call)],
      ['PATCH', `${object}$`, call => this.#patch(call)],
      ['DELETE', `${object}$`, call => this.#delete(call)],
      ['POST', `${object}/compose$`, call => this.#compose(call)],
      ['POST', `${object}/rewriteTo/b/(?<toBucket>[^/]+)/o/(?<toName>[^/]+)$`, call => this.#rewrite(call)],
      ['POST', '^/upload/storage/v1/b/(?<bucket>[^/]+)/o$', call => this.#insert(call)],
      ['PUT', '^/upload/storage/v1/b/(?<bucket>[^/]+)/o$', call => this.#continue(call)],
      ['DELETE', '^/upload/storage/v1/b/(?<bucket>[^/]+)/o$', call => this.#cancel(call)],
      ['GET', '^/(?<bucket>[^/]+)/(?<name>.+)$', call => this.#signedGet(call)],
      ['PUT', '^/(?<bucket>[^/]+)/(?<name>.+)$', call => this.#signedPut(call)],
    ];
    this.#routes = routes.map(([method, pattern, handler]) => [method, new RegExp(pattern), handler]);
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const [path = '', ...query] = (request.url ?? '/').split('?');
      const match = this.#routes
        .filter(([method]) => method === request.method)
        .map(([, pattern, handler]) => ({ found: pattern.exec(path), handler }))
        .find(({ found }) => found !== null);
      if (!match?.found) throw new Refusal(404, 'notFound', `${request.method} ${path}: no such call`);
      const decoded = Object.fromEntries(Object.entries(match.found.groups ?? {}).map(([k, v]) => [k, decodeURIComponent(v)]));
      const answer = await match.handler({ request, response, query: new URLSearchParams(query.join('?')), path: decoded });
      if (answer) send(response, answer);
    } catch (error) {
      if (!(error instanceof Refusal) || response.headersSent) {
        response.destroy();
        return;
      }
      const { status, reason, message } = error;
      // The body may not be sent to its end when the answer is known.
      request.resume();
      send(response, { status, json: { error: { code: status, message, errors: [{ message, domain: 'global', reason }] } } });
    }
  }

  async #createBucket({ request }: Call): Promise<Answer> {
    const { name = '' } = await readJson<{ name?: string }>(request);
    if (!this.objects.createBucket(name)) throw new Refusal(409, 'conflict', 'The requested bucket name is not available.');
    return { json: { kind: 'storage#bucket', name } };
  }

  async #getBucket({ path: { bucket = '' } }: Call): Promise<Answer> {
    this.#checkBucket(bucket);
    return { json: { kind: 'storage#bucket', name: bucket } };
  }

  async #list({ path: { bucket = '' }, query }: Call): Promise<Answer> {
    this.#checkBucket(bucket);
    const prefix = query.get('prefix') ?? '';
    const delimiter = query.get('delimiter');
    const token = query.get('pageToken');
    const start = token === null ? (query.get('startOffset') ?? '') : Buffer.from(token, 'base64url').toString();
    const limit = Math.min(pageSize, Number(query.get('maxResults') ?? pageSize));
    const [items, prefixes] = [[] as unknown[], new Set<string>()];
    let next: string | undefined;
    for (const name of this.objects.names(bucket, prefix, start)) {
      if (items.length + prefixes.size >= limit) {
        next = name;
        break;
      }
      const end = delimiter ? name.indexOf(delimiter, prefix.length) : -1;
      const found = this.objects.find(bucket, name);
      if (delimiter && end >= 0) prefixes.add(name.slice(0, end + delimiter.length));
      else if (found) items.push(resource(found, undefined));
    }
    const more = next === undefined ? {} : { nextPageToken: Buffer.from(next).toString('base64url') };
    return { json: { kind: 'storage#objects', items, prefixes: [...prefixes], ...more } };
  }

  async #get(call: Call): Promise<Answer | undefined> {
    const stored = this.#find(call);
    this.#checkConditions(call.query, stored);
    const key = keyHash(call.request);
    if (call.query.get('alt') !== 'media') {
      if (key !== undefined) checkKey(stored, key);
      return { json: resource(stored, key) };
    }
    checkKey(stored, key);
    await this.#sendBytes(call, stored);
    return undefined;
  }

  async #patch(call: Call): Promise<Answer> {
    const stored = this.#find(call);
    const { metadata, contentType } = await readJson<Metadata>(call.request);
    const changed = { ...stored, ...(metadata ? { metadata } : {}), ...(contentType === undefined ? {} : { contentType }) };
    return { json: resource(changed, undefined) };
  }

  async #delete(call: Call): Promise<Answer> {
    const { bucket, name } = this.#find(call);
    this.objects.remove(bucket, name);
    return { status: 204 };
  }

  async #compose(call: Call): Promise<Answer> {
    const { bucket = '', name = '' } = call.path;
    this.#checkBucket(bucket);
    const body = await readJson<{ destination?: Metadata; sourceObjects?: { name: string; generation?: number | string }[] }>(call.request);
    const sources = body.sourceObjects ?? [];
    if (sources.length === 0) throw new Refusal(400, 'required', 'You must provide at least one source component.');
    if (sources.length > maxSources)
      throw new Refusal(400, 'invalid', `The number of source components provided (${sources.length}) exceeds the maximum (${maxSources})`);
    const key = keyHash(call.request);
    const found = sources.map(source => {
      const stored = this.#find({ ...call, path: { bucket, name: source.name } });
      if (source.generation !== undefined && Number(source.generation) !== stored.generation)
        throw new Refusal(404, 'notFound', `No such object: ${bucket}/${source.name}#${source.generation}`);
      checkKey(stored, key);
      return stored;
    });
    const file = this.objects.newFile();
    for (const stored of found) if (stored.size > 0) await this.objects.append(file, await this.objects.read(stored, 0, stored.size - 1));
    if (found.every(stored => stored.size === 0)) await this.objects.append(file, none());
    const { md5Hash: _, ...bytes } = await this.objects.measure(file);
    return { json: resource(this.objects.put(bucket, name, bytes, this.#facts(call, body.destination ?? {})), key) };
  }

  async #rewrite(call: Call): Promise<Answer> {
    const { toBucket = '', toName = '' } = call.path;
    this.#checkBucket(toBucket);
    const body = await readJson<Metadata>(call.request);
    const stored = this.#find(call);
    checkKey(stored, keyHash(call.request, 'copy-source-encryption'));
    const token = call.query.get('rewriteToken') ?? randomUUID();
    const copied = (this.#rewrites.get(token) ?? 0) + this.rewriteBytes;
    if (copied < stored.size) {
      this.#rewrites.set(token, copied);
      const progress = { totalBytesRewritten: String(copied), objectSize: String(stored.size) };
      return { json: { kind: 'storage#rewriteResponse', ...progress, done: false, rewriteToken: token } };
    }
    this.#rewrites.delete(token);
    const file = this.objects.newFile();
    await this.objects.append(file, stored.size > 0 ? await this.objects.read(stored, 0, stored.size - 1) : none());
    const kmsKeyName = call.query.get('destinationKmsKeyName');
    const facts = { ...this.#facts(call, { ...stored, ...body }), ...(kmsKeyName === null ? {} : { kmsKeyName }) };
    const made = this.objects.put(toBucket, toName, { ...stored, file }, facts);
    const size = String(stored.size);
    return { json: { done: true, totalBytesRewritten: size, objectSize: size, resource: resource(made, facts.keyHash) } };
  }

  async #insert(call: Call): Promise<Answer> {
    const { request, query, path } = call;
    const { bucket = '' } = path;
    this.#checkBucket(bucket);
    const type = query.get('uploadType');
    if (type === 'resumable') return this.#begin(call, bucket);
    const file = this.objects.newFile();
    let metadata: Metadata = {};
    try {
      if (type === 'multipart') {
        const body: Multipart = await relatedParts(request);
        metadata = JSON.parse(body.metadata) as Metadata;
        await this.objects.append(file, body.bytes);
      } else {
        await this.objects.append(file, request as AsyncIterable<Buffer>);
      }
    } catch (error) {
      this.objects.discard(file);
      throw error;
    }
    const name = this.#checkName(query.get('name') ?? metadata.name);
    return { json: await this.#finish(bucket, name, file, this.#facts(call, metadata), metadata, query) };
  }

  async #begin(call: Call, bucket: string): Promise<Answer> {
    const { request, query } = call;
    const metadata = await readJson<Metadata>(request);
    const name = this.#checkName(query.get('name') ?? metadata.name);
    this.#checkConditions(query, this.objects.find(bucket, name));
    const id = randomUUID();
    const file = this.objects.newFile();
    await this.objects.append(file, none());
    this.#sessions.set(id, { bucket, name, facts: this.#facts(call, metadata), query, file, received: 0 });
    const path = `/upload/storage/v1/b/${encodeURIComponent(bucket)}/o?uploadType=resumable&name=${encodeURIComponent(name)}&upload_id=${id}`;
    return { headers: { location: `http://${request.headers.host ?? ''}${path}` } };
  }

  async #continue({ request, query }: Call): Promise<Answer> {
    const id = query.get('upload_id') ?? '';
    const session = this.#sessions.get(id);
    if (!session) throw new Refusal(404, 'notFound', 'No such upload session');
    const [, first, last, total = '*'] = /^bytes (?:(\d+)-(\d+|\*)|\*)\/(\d+|\*)$/.exec(request.headers['content-range'] ?? '') ?? [];
    if (first !== undefined && Number(first) !== session.received)
      throw new Refusal(503, 'backendError', `The upload continues at ${session.received}`);
    if (first !== undefined) session.received += await this.objects.append(session.file, request as AsyncIterable<Buffer>);
    const ended = total !== '*' ? session.received === Number(total) : first !== undefined && last === '*';
    if (!ended) {
      if (first !== undefined && last !== '*' && session.received % chunkAlignment !== 0)
        throw new Refusal(400, 'invalid', `Chunks must be multiples of ${chunkAlignment} bytes`);
      return { status: 308, headers: session.received > 0 ? { range: `bytes=0-${session.received - 1}` } : {} };
    }
    const { bucket, name, facts, file } = session;
    const sent = /md5=([^,]+)/.exec(String(request.headers['x-goog-hash'] ?? ''))?.[1];
    const made = await this.#finish(bucket, name, file, facts, sent === undefined ? {} : { md5Hash: sent }, session.query);
    this.#sessions.delete(id);
    return { json: made };
  }

  async #cancel({ query }: Call): Promise<Answer> {
    const id = query.get('upload_id') ?? '';
    const session = this.#sessions.get(id);
    if (!session) throw new Refusal(404, 'notFound', 'No such upload session');
    this.objects.discard(session.file);
    this.#sessions.delete(id);
    return { status: 499 };
  }

  /** Upload sessions that were begun and neither finished nor cancelled. */
  get openSessions(): number {
    return this.#sessions.size;
  }

  async #signedGet(call: Call): Promise<undefined> {
    this.#checkSigned(call);
    const stored = this.#find(call);
    checkKey(stored, keyHash(call.request));
    const disposition = call.query.get('response-content-disposition');
    await this.#sendBytes(call, stored, disposition === null ? {} : { 'content-disposition': disposition });
    return undefined;
  }

  async #signedPut(call: Call): Promise<Answer> {
    this.#checkSigned(call);
    const { bucket = '', name = '' } = call.path;
    this.#checkBucket(bucket);
    const file = this.objects.newFile();
    await this.objects.append(file, call.request as AsyncIterable<Buffer>);
    const bytes = await this.objects.measure(file);
    this.objects.put(bucket, this.#checkName(name), bytes, this.#facts(call, {}));
    return { headers: { etag: `"${Buffer.from(bytes.md5Hash, 'base64').toString('hex')}"` } };
  }

  async #finish(bucket: string, name: string, file: string, facts: Facts, sent: Metadata, query: URLSearchParams): Promise<unknown> {
    const bytes: ReceivedBytes = await this.objects.measure(file);
    for (const hash of ['md5Hash', 'crc32c'] as const)
      if (sent[hash] !== undefined && sent[hash] !== bytes[hash])
        throw new Refusal(400, 'invalid', `Provided ${hash} "${sent[hash]}" doesn't match calculated "${bytes[hash]}".`);
    this.#checkConditions(query, this.objects.find(bucket, name));
    return resource(this.objects.put(bucket, name, bytes, facts), facts.keyHash);
  }

  async #sendBytes({ request, response }: Call, stored: StoredObject, more: Record<string, string> = {}): Promise<void> {
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
    const start = Number(range?.[1] ?? 0);
    const end = Math.min(range?.[2] ? Number(range[2]) : stored.size - 1, stored.size - 1);
    if (range && start >= stored.size) throw new Refusal(416, 'requestedRangeNotSatisfiable', 'Request range not satisfiable');
    const hashes = [`crc32c=${stored.crc32c}`, ...(stored.md5Hash === undefined ? [] : [`md5=${stored.md5Hash}`])];
    response.writeHead(range ? 206 : 200, {
      'content-type': stored.contentType ?? 'application/octet-stream',
      'content-length': String(end - start + 1),
      'last-modified': stored.created.toUTCString(),
      'x-goog-generation': String(stored.generation),
      'x-goog-stored-content-encoding': 'identity',
      'x-goog-stored-content-length': String(stored.size),
      'x-goog-hash': hashes.join(','),
      ...(range ? { 'content-range': `bytes ${start}-${end}/${stored.size}` } : {}),
      ...more,
    });
    if (stored.size === 0) {
      response.end();
      return;
    }
    const stream = await this.objects.read(stored, start, end);
    response.on('close', () => stream.destroy());
    stream.on('error', () => response.destroy());
    stream.pipe(response);
  }

  #checkSigned({ request }: Call): void {
    const problem = checkSignature(request, this.#signer, Date.now());
    if (problem !== undefined) throw new Refusal(problem === 'ExpiredToken' ? 400 : 403, problem, problem);
  }

  #checkBucket(bucket: string): void {
    if (!this.objects.hasBucket(bucket)) throw new Refusal(404, 'notFound', 'The specified bucket does not exist.');
  }

  #checkName(name: string | undefined): string {
    if (!name || Buffer.byteLength(name) > maxNameBytes || /[\r\n]/.test(name) || name === '.' || name === '..')
      throw new Refusal(400, 'invalid', `Invalid object name: ${name}`);
    return name;
  }

  #find({ path: { bucket = '', name = '' } }: Pick<Call, 'path'>): StoredObject {
    this.#checkBucket(bucket);
    const stored = this.objects.find(bucket, name);
    if (!stored) throw new Refusal(404, 'notFound', `No such object: ${bucket}/${name}`);
    return stored;
  }

  #checkConditions(query: URLSearchParams, stored: StoredObject | undefined): void {
    const wanted = query.get('ifGenerationMatch');
    if (wanted !== null && Number(wanted) !== (stored?.generation ?? 0))
      throw new Refusal(412, 'conditionNotMet', 'At least one of the pre-conditions you specified did not hold.');
  }

  #facts({ request, query }: Call, { storageClass, contentType, metadata }: Metadata): Facts {
    const kmsKeyName = query.get('kmsKeyName');
    return {
      keyHash: keyHash(request),
      ...(storageClass === undefined ? {} : { storageClass }),
      ...(contentType === undefined ? {} : { contentType }),
      ...(metadata ? { metadata } : {}),
      ...(kmsKeyName === null ? {} : { kmsKeyName }),
    };
  }
}

/** Hashes of an object under a customer's key are told only to who has the key. */
function resource(stored: StoredObject, key: KeyHash): unknown {
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

function keyHash({ headers }: IncomingMessage, kind = 'encryption'): KeyHash {
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

function checkKey(stored: StoredObject, key: KeyHash): void {
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

function send(response: ServerResponse, { status = 200, headers = {}, json }: Answer): void {
  response.writeHead(status, { ...headers, ...(json === undefined ? { 'content-length': '0' } : { 'content-type': 'application/json' }) });
  response.end(json === undefined ? undefined : JSON.stringify(json));
}

async function readJson<T>(request: IncomingMessage): Promise<T> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return (chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {}) as T;
}

// biome-ignore lint/correctness/useYield: a body without bytes
async function* none(): AsyncGenerator<Buffer> {}

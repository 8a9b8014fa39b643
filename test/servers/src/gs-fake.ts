/**
 * A fake of Google Cloud Storage: what the block store driver and the client library need of the JSON API, resumable
 * uploads, signed URLs, and rules for browsers. It checks what the service checks: preconditions, hashes sent along, the limit of 32 sources,
 * customer-supplied keys, part alignment, signatures and their expiry.
 */
import { randomUUID } from 'node:crypto';
import {
  Refusal,
  checkBucket,
  checkConditions,
  checkKey,
  checkName,
  factsOf,
  keyHash,
  none,
  readJson,
  resource,
  send,
} from './gs-answers.js';
import { corsHeaders } from './gs-cors.js';
import { checkSignature } from './gs-signature.js';
import { GsUploads } from './gs-uploads.js';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, Call, Metadata } from './gs-answers.js';
import type { GsCorsRule } from './gs-cors.js';
import type { GsObjects, StoredObject } from './gs-objects.js';

type Handler = (request: Call) => Promise<Answer | undefined>;

const maxSources = 32;
const pageSize = 1000;

export class GsFake {
  readonly objects: GsObjects;
  /** Public key in PEM of the account that signs URLs. */
  readonly #signer: string;
  readonly #uploads: GsUploads;
  /** Bytes a rewrite copies before it asks to be called again. */
  rewriteBytes = Number.POSITIVE_INFINITY;
  readonly #rewrites = new Map<string, number>();
  /** By bucket. */
  readonly #cors = new Map<string, readonly GsCorsRule[]>();
  readonly #routes: readonly (readonly [string, RegExp, Handler])[];

  constructor(objects: GsObjects, signer: string) {
    this.objects = objects;
    this.#signer = signer;
    this.#uploads = new GsUploads(objects);
    // The client drops `/storage/v1` when the variable STORAGE_EMULATOR_HOST is set.
    const bucket = '^(?:/download)?(?:/storage/v1)?/b/(?<bucket>[^/]+)';
    const object = `${bucket}/o/(?<name>[^/]+)`;
    const routes: readonly (readonly [string, string, Handler])[] = [
      ['POST', '^(?:/storage/v1)?/b$', call => this.#createBucket(call)],
      ['GET', `${bucket}$`, call => this.#getBucket(call)],
      ['PATCH', `${bucket}$`, call => this.#patchBucket(call)],
      ['GET', `${bucket}/o$`, call => this.#list(call)],
      ['GET', `${object}$`, call => this.#get(call)],
      ['PATCH', `${object}$`, call => this.#patch(call)],
      ['DELETE', `${object}$`, call => this.#delete(call)],
      ['POST', `${object}/compose$`, call => this.#compose(call)],
      ['POST', `${object}/rewriteTo/b/(?<toBucket>[^/]+)/o/(?<toName>[^/]+)$`, call => this.#rewrite(call)],
      ['POST', '^/upload/storage/v1/b/(?<bucket>[^/]+)/o$', call => this.#uploads.insert(call)],
      ['PUT', '^/upload/storage/v1/b/(?<bucket>[^/]+)/o$', call => this.#uploads.continue(call)],
      ['DELETE', '^/upload/storage/v1/b/(?<bucket>[^/]+)/o$', call => this.#uploads.cancel(call)],
      ['GET', '^/(?<bucket>[^/]+)/(?<name>.+)$', call => this.#signedGet(call)],
      ['PUT', '^/(?<bucket>[^/]+)/(?<name>.+)$', call => this.#signedPut(call)],
    ];
    this.#routes = routes.map(([method, pattern, handler]) => [method, new RegExp(pattern), handler]);
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const [path = '', ...query] = (request.url ?? '/').split('?');
      const rules = this.#cors.get(decodeURIComponent(path.split('/', 2)[1] ?? '')) ?? [];
      for (const [name, value] of Object.entries(corsHeaders(request, rules))) response.setHeader(name, value);
      if (request.method === 'OPTIONS') {
        send(response, {});
        return;
      }
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
    const { name = '', cors = [] } = await readJson<{ name?: string; cors?: readonly GsCorsRule[] }>(request);
    if (!this.objects.createBucket(name)) throw new Refusal(409, 'conflict', 'The requested bucket name is not available.');
    this.#cors.set(name, cors);
    return { json: { kind: 'storage#bucket', name, cors } };
  }

  async #patchBucket({ request, path: { bucket = '' } }: Call): Promise<Answer> {
    checkBucket(this.objects, bucket);
    const { cors = this.#cors.get(bucket) ?? [] } = await readJson<{ cors?: readonly GsCorsRule[] }>(request);
    this.#cors.set(bucket, cors);
    return { json: { kind: 'storage#bucket', name: bucket, cors } };
  }

  async #getBucket({ path: { bucket = '' } }: Call): Promise<Answer> {
    checkBucket(this.objects, bucket);
    return { json: { kind: 'storage#bucket', name: bucket } };
  }

  async #list({ path: { bucket = '' }, query }: Call): Promise<Answer> {
    checkBucket(this.objects, bucket);
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
    checkConditions(call.query, stored);
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
    this.objects.change(changed);
    return { json: resource(changed, undefined) };
  }

  async #delete(call: Call): Promise<Answer> {
    const { bucket, name } = this.#find(call);
    this.objects.remove(bucket, name);
    return { status: 204 };
  }

  async #compose(call: Call): Promise<Answer> {
    const { bucket = '', name = '' } = call.path;
    checkBucket(this.objects, bucket);
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
    checkConditions(call.query, this.objects.find(bucket, name));
    return { json: resource(this.objects.put(bucket, name, bytes, factsOf(call, body.destination ?? {})), key) };
  }

  async #rewrite(call: Call): Promise<Answer> {
    const { toBucket = '', toName = '' } = call.path;
    checkBucket(this.objects, toBucket);
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
    const facts = { ...factsOf(call, { ...stored, ...body }), ...(kmsKeyName === null ? {} : { kmsKeyName }) };
    const { crc32c, md5Hash } = stored;
    const bytes = { file, size: stored.size, crc32c, ...(md5Hash === undefined ? {} : { md5Hash }) };
    const made = this.objects.put(toBucket, toName, bytes, facts);
    const progress = { totalBytesRewritten: String(stored.size), objectSize: String(stored.size) };
    return { json: { done: true, ...progress, resource: resource(made, facts.keyHash) } };
  }

  /** Upload sessions that were begun and neither finished nor cancelled. */
  get openSessions(): number {
    return this.#uploads.open;
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
    checkBucket(this.objects, bucket);
    const file = this.objects.newFile();
    await this.objects.append(file, call.request as AsyncIterable<Buffer>);
    const bytes = await this.objects.measure(file);
    this.objects.put(bucket, checkName(name), bytes, factsOf(call, {}));
    return { headers: { etag: `"${Buffer.from(bytes.md5Hash, 'base64').toString('hex')}"` } };
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

  #find({ path: { bucket = '', name = '' } }: Pick<Call, 'path'>): StoredObject {
    checkBucket(this.objects, bucket);
    const stored = this.objects.find(bucket, name);
    if (!stored) throw new Refusal(404, 'notFound', `No such object: ${bucket}/${name}`);
    return stored;
  }
}

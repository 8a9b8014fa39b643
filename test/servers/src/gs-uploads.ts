/** Uploads to the fake of Google Cloud Storage: in one request, and in sessions that are taken up where they broke off. */
import { randomUUID } from 'node:crypto';
import { Refusal, checkBucket, checkConditions, checkName, factsOf, none, readJson, resource } from './gs-answers.js';
import { relatedParts } from './gs-related.js';
import type { Answer, Call, Metadata } from './gs-answers.js';
import type { Facts, GsObjects } from './gs-objects.js';

interface Session {
  readonly bucket: string;
  readonly name: string;
  readonly facts: Facts;
  readonly query: URLSearchParams;
  readonly file: string;
  received: number;
  /** The object, once it exists: repeated requests return it again. */
  made?: unknown;
}

const chunkAlignment = 256 << 10;

export class GsUploads {
  readonly #objects: GsObjects;
  readonly #sessions = new Map<string, Session>();

  constructor(objects: GsObjects) {
    this.#objects = objects;
  }

  /** Sessions that were begun and neither finished nor cancelled. */
  get open(): number {
    return [...this.#sessions.values()].filter(session => session.made === undefined).length;
  }

  async insert(call: Call): Promise<Answer> {
    const { request, query, path } = call;
    const { bucket = '' } = path;
    checkBucket(this.#objects, bucket);
    const type = query.get('uploadType');
    if (type === 'resumable') return this.#begin(call, bucket);
    const file = this.#objects.newFile();
    let metadata: Metadata = {};
    try {
      if (type === 'multipart') {
        const body = await relatedParts(request);
        metadata = JSON.parse(body.metadata) as Metadata;
        await this.#objects.append(file, body.bytes);
      } else {
        await this.#objects.append(file, request as AsyncIterable<Buffer>);
      }
    } catch (error) {
      this.#objects.discard(file);
      throw error;
    }
    const name = checkName(query.get('name') ?? metadata.name);
    return { json: await this.#finish(bucket, name, file, factsOf(call, metadata), metadata, query) };
  }

  async #begin(call: Call, bucket: string): Promise<Answer> {
    const { request, query } = call;
    const type = request.headers['x-upload-content-type'];
    const metadata = { ...(typeof type === 'string' ? { contentType: type } : {}), ...(await readJson<Metadata>(request)) };
    const name = checkName(query.get('name') ?? metadata.name);
    checkConditions(query, this.#objects.find(bucket, name));
    const id = randomUUID();
    const file = this.#objects.newFile();
    await this.#objects.append(file, none());
    this.#sessions.set(id, { bucket, name, facts: factsOf(call, metadata), query, file, received: 0 });
    const path = `/upload/storage/v1/b/${encodeURIComponent(bucket)}/o?uploadType=resumable&name=${encodeURIComponent(name)}&upload_id=${id}`;
    return { headers: { location: `http://${request.headers.host ?? ''}${path}` } };
  }

  async continue({ request, query }: Call): Promise<Answer> {
    const id = query.get('upload_id') ?? '';
    const session = this.#sessions.get(id);
    if (!session) throw new Refusal(404, 'notFound', 'No such upload session');
    if (session.made !== undefined) return { json: session.made };
    const [, first, last, total = '*'] = /^bytes (?:(\d+)-(\d+|\*)|\*)\/(\d+|\*)$/.exec(request.headers['content-range'] ?? '') ?? [];
    if (first !== undefined && Number(first) !== session.received)
      throw new Refusal(503, 'backendError', `The upload continues at ${session.received}`);
    if (first !== undefined) session.received += await this.#objects.append(session.file, request as AsyncIterable<Buffer>);
    const ended = total !== '*' ? session.received === Number(total) : first !== undefined && last === '*';
    if (!ended) {
      if (first !== undefined && last !== '*' && session.received % chunkAlignment !== 0)
        throw new Refusal(400, 'invalid', `Chunks must be multiples of ${chunkAlignment} bytes`);
      return { status: 308, headers: session.received > 0 ? { range: `bytes=0-${session.received - 1}` } : {} };
    }
    const { bucket, name, facts, file } = session;
    const sent = /md5=([^,]+)/.exec(String(request.headers['x-goog-hash'] ?? ''))?.[1];
    session.made = await this.#finish(bucket, name, file, facts, sent === undefined ? {} : { md5Hash: sent }, session.query);
    return { json: session.made };
  }

  async cancel({ query }: Call): Promise<Answer> {
    const id = query.get('upload_id') ?? '';
    const session = this.#sessions.get(id);
    if (!session) throw new Refusal(404, 'notFound', 'No such upload session');
    this.#objects.discard(session.file);
    this.#sessions.delete(id);
    return { status: 499 };
  }

  async #finish(bucket: string, name: string, file: string, facts: Facts, sent: Metadata, query: URLSearchParams): Promise<unknown> {
    const bytes = await this.#objects.measure(file);
    for (const hash of ['md5Hash', 'crc32c'] as const)
      if (sent[hash] !== undefined && sent[hash] !== bytes[hash])
        throw new Refusal(400, 'invalid', `Provided ${hash} "${sent[hash]}" doesn't match calculated "${bytes[hash]}".`);
    checkConditions(query, this.#objects.find(bucket, name));
    return resource(this.#objects.put(bucket, name, bytes, facts), facts.keyHash);
  }
}

/** The answer to one request: XML, bytes or nothing, always with its request id. */
import { randomBytes, randomUUID } from 'node:crypto';
import { finished } from 'node:stream/promises';
import { atEndOfTick, endWith, isGone, sendStream, stopUpload } from '@srv/lib-api/http';
import { hasUnknownLength } from './body/framing.js';
import { asS3Error } from './protocol/errors.js';
import { document, element, optional, write, xmlHeader } from './protocol/xml-writer.js';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Target } from './protocol/address.js';
import type { S3Error } from './protocol/errors.js';
import type { XmlElement } from './protocol/xml-writer.js';

/** Bytes and milliseconds of a refused body that are taken in, so that the client gets to read the answer. */
const smallBody = 1024 * 1024;
const lingerTime = 2_000;
const xmlTypes = ['application/xml', 'text/xml'];

/** Milliseconds until an answer that takes long begins, and between the spaces that keep its connection alive. */
const paddingInterval = 10_000;

/** Distinguishes this process. */
const hostId = randomBytes(8).toString('hex').toUpperCase();

export type Headers = Readonly<Record<string, string>>;

interface S3ResponseOptions {
  readonly region: string;
  /** On every answer. */
  readonly headers?: Headers;
  readonly paddingInterval?: number;
}

export class S3Response {
  readonly requestId = randomUUID();
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #region: string;
  readonly #always: Headers;
  readonly #paddingInterval: number;
  /** What the request is about, for the body of errors. */
  target: Target | undefined;
  /** Sent, or cut off. */
  readonly #closed: Promise<void>;
  #continued = false;
  #isBroken = false;

  constructor(request: IncomingMessage, response: ServerResponse, { region, headers = {}, paddingInterval: interval }: S3ResponseOptions) {
    this.#request = request;
    this.#response = response;
    this.#region = region;
    this.#always = headers;
    this.#paddingInterval = interval ?? paddingInterval;
    this.#closed = new Promise(resolve => {
      response.once('close', resolve);
    });
  }

  get begun(): boolean {
    return this.#response.headersSent;
  }

  /** Cut off because its body failed, and not by the client. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Nothing can be added any more. */
  get ended(): boolean {
    return this.#response.writableEnded;
  }

  empty(status: number, headers: Headers = {}): Promise<void> {
    return this.#send(status, headers, undefined);
  }

  xml(root: XmlElement, { status = 200, headers = {} }: { readonly status?: number; readonly headers?: Headers } = {}): Promise<void> {
    return this.#send(status, { 'Content-Type': this.#xmlType(), ...headers }, Buffer.from(document(root), 'utf8'));
  }

  /**
   * The document that `work` creates. If it takes long, spaces are sent meanwhile, so that no proxy times out; an error then
   * comes with status 200, and clients look for it in the document.
   * @throws what `work` throws; when the answer has begun, after the error was sent in its place.
   */
  async xmlWhenReady(work: Promise<XmlElement>): Promise<void> {
    const response = this.#response;
    const timer = setInterval(() => {
      if (isGone(response)) return;
      if (!response.headersSent) {
        response.writeHead(200, this.#headers({ 'Content-Type': this.#xmlType() }));
        response.write(xmlHeader);
      }
      response.write(' ');
    }, this.#paddingInterval);
    try {
      const root = await work;
      clearInterval(timer);
      if (response.headersSent) await this.#finish(root);
      else await this.xml(root);
    } catch (error) {
      clearInterval(timer);
      if (response.headersSent && !response.writableEnded) await this.#finish(this.#errorBody(asS3Error(error)));
      throw error;
    }
  }

  async #finish(root: XmlElement): Promise<void> {
    if (isGone(this.#response)) return;
    this.#response.end(write(root));
    await this.#closed;
  }

  error(error: S3Error): Promise<void> {
    const headers = error.code === 'NoSuchBucket' ? { 'x-amz-bucket-region': this.#region, ...error.headers } : error.headers;
    if (this.#request.method === 'HEAD') return this.#send(error.status, headers, undefined);
    return this.xml(this.#errorBody(error), { status: error.status, headers });
  }

  /**
   * Headers first; bytes follow as fast as the client takes them.
   * @param length of the body, bytes. @throws what `body` failed with; the answer has been cut off then.
   */
  async stream(status: number, headers: Headers, length: number, body: Readable): Promise<void> {
    let broken: { readonly why: unknown } | undefined;
    await this.#soon(response => {
      if (isGone(response)) {
        body.destroy();
        return;
      }
      response.writeHead(status, this.#headers({ 'Content-Length': String(length), ...headers }));
      sendStream(response, body, length, why => {
        broken = { why };
        this.#isBroken = true;
      });
    });
    await this.#closed;
    if (broken) throw broken.why;
  }

  async #send(status: number, headers: Headers, body: Buffer | undefined): Promise<void> {
    const unread = await this.#soon(response => {
      if (isGone(response)) return 'none';
      const rest = this.#unread();
      const closes = rest !== 'none' && rest !== 'small' && !this.#isMultiplexed;
      // Until it has sent all of its body, a client may not read the answer; a stream of HTTP/2 can just be ended.
      const lingers = rest === 'large' && !this.#isMultiplexed;
      const framing: Headers = closes ? { Connection: 'close' } : {};
      // An answer to HEAD that describes an object brings its own length; 204 and 304 have none.
      const bare = 'Content-Length' in headers || status === 204 || status === 304;
      const length = bare ? {} : { 'Content-Length': String(body?.length ?? 0) };
      response.writeHead(status, this.#headers({ ...framing, ...length, ...headers }));
      if (!lingers && body) endWith(response, body);
      else if (!lingers) response.end();
      else if (body) response.write(body);
      else response.flushHeaders();
      return rest;
    });
    // Node.js only discards bodies whose reading has not begun; the rest of another one would block the connection.
    if (unread === 'small') this.#discardBody();
    if (unread === 'large' && !this.#isMultiplexed) {
      await this.#linger();
      this.#response.end();
    }
    if (unread !== 'none') stopUpload(this.#response);
    await this.#closed;
  }

  /** Sends together with the other responses of this turn of the event loop. @throws what `send` throws. */
  #soon<T>(send: (response: ServerResponse) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      atEndOfTick(() => {
        try {
          resolve(send(this.#response));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #headers(headers: Headers): OutgoingHttpHeaders {
    return { 'x-amz-request-id': this.requestId, 'x-amz-id-2': hostId, ...this.#always, ...headers };
  }

  /** In HTTP/2 a request is not followed by others, and cannot close their connection. */
  get #isMultiplexed(): boolean {
    return this.#request.httpVersionMajor > 1;
  }

  /** How much of the body has not been read. `waiting`: the client waits for `100 Continue`. */
  #unread(): 'none' | 'small' | 'large' | 'waiting' {
    const { headers, complete, readableEnded } = this.#request;
    const length = Number(headers['content-length'] ?? 0);
    if (complete || readableEnded || (length === 0 && !hasUnknownLength(this.#request))) return 'none';
    if (headers.expect !== undefined && !this.#continued) return 'waiting';
    return length > 0 && length <= smallBody ? 'small' : 'large';
  }

  /** Sends `100 Continue` to a client that waits for it. */
  acceptBody(): void {
    if (this.#request.headers.expect === undefined || this.#continued) return;
    this.#continued = true;
    this.#response.writeContinue();
  }

  /** Takes in the rest of the body. */
  #discardBody(): void {
    this.#request.unpipe().resume();
  }

  async #linger(): Promise<void> {
    const request = this.#request;
    this.#discardBody();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>(resolve => {
      timer = setTimeout(resolve, lingerTime);
    });
    await Promise.race([finished(request, { writable: false }).catch(() => undefined), late]);
    clearTimeout(timer);
  }

  #xmlType(): string {
    const accepted = this.#request.headers.accept?.split(',').map(type => type.trim());
    return (accepted ? xmlTypes.find(type => accepted.includes(type)) : xmlTypes[0]) ?? 'text/xml; charset=utf-8';
  }

  #errorBody({ code, message }: S3Error): XmlElement {
    const { target } = this;
    const place = target === undefined || target.kind === 'service' ? undefined : target;
    const object = place && 'path' in place ? place : undefined;
    return element('Error', [
      element('Code', code),
      element('Message', message),
      ...optional('Key', object?.path || undefined),
      ...optional('BucketName', place?.repository),
      element('Resource', object ? `${object.ref}@${object.repository}` : (place?.repository ?? '')),
      element('Region', this.#region),
      element('RequestId', this.requestId),
      element('HostId', hostId),
    ]);
  }
}

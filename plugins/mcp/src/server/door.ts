/** A request to the endpoint: origin, caller, message, answer. Nothing is kept between requests but which of them run. */
import { isUtf8 } from 'node:buffer';
import { FaceRequest, authorizationCredentials, heldBodies, keyPair, readBody } from '@srv/lib-api/http';
import { operationName, runMethod } from './methods.js';
import { OwnBranches } from './own-branches.js';
import { RpcError, codes, errorMessage, rpcAnswer, rpcMessage } from './protocol/errors.js';
import { progressTokenOf, readMessage } from './protocol/message.js';
import { checkOrigin, crossOriginHeaders, preflightHeaders } from './protocol/origin.js';
import { withProgress } from './protocol/progress.js';
import { RunningRequests, newSession } from './running.js';
import type { HttpResponse, RawExchange } from '@srv/http/contract';
import type { Credentials } from '@srv/kernel';
import type { McpContext, McpParts } from './context.js';
import type { RequestId } from './protocol/errors.js';
import type { RpcRequest } from './protocol/message.js';
import type { Report } from './protocol/progress.js';

/** Bytes of a message, in addition to those of an object in base64. */
const envelope = 1 << 20;
const loopback = ['127.0.0.1', '::1', '::ffff:127.0.0.1', 'localhost'];

/** @returns the result; `undefined`: the request was cancelled. */
type Run = (report: Report) => Promise<object | undefined>;

export class Door {
  readonly #parts: McpParts;
  readonly #own: OwnBranches;
  readonly #running = new RunningRequests();

  constructor(parts: McpParts) {
    this.#parts = parts;
    this.#own = new OwnBranches(parts.engine, parts.kv, parts.settings.write);
  }

  async handle(exchange: RawExchange): Promise<HttpResponse> {
    const { request } = exchange;
    const { headers, method } = request;
    const { origins, hosts } = this.#parts.settings;
    exchange.name('mcp');
    const origin = checkOrigin(headers, { origins, hosts, isLocal: loopback.includes(this.#parts.http.address().host) });
    const readable = crossOriginHeaders(origin);
    if (method === 'OPTIONS' && origin !== undefined) return { status: 204, headers: { ...readable, ...preflightHeaders } };
    if (method !== 'POST')
      throw new RpcError(codes.request, 'send messages by POST; sessions have no end, and this server begins no streams of its own', {
        status: 405,
        headers: { Allow: 'POST', ...readable },
      });
    const face = await FaceRequest.identify(exchange, this.#parts.identity, credentialsOf);
    const answer = await this.#answer(exchange, face);
    return { ...answer, headers: { ...answer.headers, ...readable } };
  }

  async #answer(exchange: RawExchange, face: FaceRequest): Promise<HttpResponse> {
    const { request } = exchange;
    const { headers } = request;
    if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
      throw new RpcError(codes.request, 'the body is not application/json', { status: 415 });
    const limit = Math.ceil((this.#parts.settings.maxBytes * 4) / 3) + envelope;
    let release = await heldBodies.hold(exchange.response, Math.min(limit, Number(headers['content-length'] ?? limit)));
    try {
      face.acceptBody();
      const body = await readBody(request, {
        limit,
        tooLarge: () => new RpcError(codes.request, `the message has more than ${limit} bytes`, { status: 413 }),
        tooSlow: () => new RpcError(codes.request, 'the message did not arrive within a minute', { status: 408 }),
      });
      if (!isUtf8(body)) throw new RpcError(codes.parse, 'the body is not UTF-8', { status: 400 });
      const message = readMessage(body.toString('utf8'), headers);
      if (!message) return { status: 202 };
      if ('cancels' in message) {
        this.#running.cancel(face, message.cancels);
        return { status: 202 };
      }
      const run = this.#prepare(exchange, face, message);
      const token = message.method === 'tools/call' ? progressTokenOf(message) : undefined;
      if (token === undefined || !(headers.accept ?? '').toLowerCase().includes('text/event-stream')) return await this.#once(run, message);
      const answer = this.#stream(run, message, token, release);
      // The message is in use until the work has ended, which is after this answer begins.
      release = undefined;
      return answer;
    } finally {
      release?.();
    }
  }

  #prepare(exchange: RawExchange, face: FaceRequest, message: RpcRequest): Run {
    const base = this.#context(exchange, face);
    exchange.name(operationName(message, base));
    return report =>
      this.#running.run(face, message.id, async signal => {
        const result = await runMethod({ ...base, signal, report }, message);
        return signal.aborted ? undefined : result;
      });
  }

  async #once(run: Run, message: RpcRequest): Promise<HttpResponse> {
    try {
      const result = await run(() => undefined);
      // Who cancelled a request has no use for its answer.
      if (!result) return { status: 202 };
      const answer = rpcAnswer(200, { result }, message.id);
      return message.method === 'initialize' ? { ...answer, headers: { ...answer.headers, ...newSession() } } : answer;
    } catch (error) {
      if (error instanceof RpcError) error.id = message.id;
      throw error;
    }
  }

  /** @param ended is called when the work has ended. */
  #stream(run: Run, { id }: RpcRequest, token: RequestId, ended: (() => void) | undefined): HttpResponse {
    return withProgress(token, async report => {
      try {
        const result = await run(report);
        return result && rpcMessage({ result }, id);
      } catch (error) {
        return errorMessage(error, this.#parts.http.describe(error), id);
      } finally {
        ended?.();
      }
    });
  }

  #context(exchange: RawExchange, face: FaceRequest): Omit<McpContext, 'signal' | 'report'> {
    const { headers, url = '' } = exchange.request;
    const secure = exchange.secure || headers['x-forwarded-proto'] === 'https';
    const wish = String(headers['x-mcp-readonly'] ?? new URLSearchParams(url.split('?', 2)[1] ?? '').get('readonly') ?? '');
    return {
      face,
      own: this.#own,
      isReadOnly: ['true', '1'].includes(wish.toLowerCase()),
      origin: `${secure ? 'https' : 'http'}://${headers.host ?? ''}`,
      ...this.#parts,
    };
  }
}

/** An access key as a Bearer token is `<id>:<secret>`: most clients can set one header, and no other. */
function credentialsOf(authorization: string, from: () => string): Credentials | undefined {
  const found = authorizationCredentials(authorization, from);
  return found?.kind === 'token' && found.token.includes(':') ? keyPair(found.token, from) : found;
}

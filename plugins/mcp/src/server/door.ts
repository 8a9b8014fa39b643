/** A request to the endpoint: origin, caller, message, answer. Nothing is kept between requests. */
import { FaceRequest, authorizationCredentials, heldBodies, keyPair, readBody } from '@srv/lib-api/http';
import { operationName, runMethod } from './methods.js';
import { OwnBranches } from './own-branches.js';
import { RpcError, codes, rpcAnswer } from './protocol/errors.js';
import { readMessage } from './protocol/message.js';
import { checkOrigin, crossOriginHeaders, preflightHeaders } from './protocol/origin.js';
import type { HttpResponse, RawExchange } from '@srv/http/contract';
import type { Credentials } from '@srv/kernel';
import type { McpContext, McpParts } from './context.js';

/** Bytes of a message, in addition to those of an object in base64. */
const envelope = 1 << 20;
const loopback = ['127.0.0.1', '::1', '::ffff:127.0.0.1', 'localhost'];

export class Door {
  readonly #parts: McpParts;
  readonly #own: OwnBranches;

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
      throw new RpcError(codes.request, 'send messages by POST; there are no sessions and no streams', {
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
    const release = await heldBodies.hold(Math.min(limit, Number(headers['content-length'] ?? limit)));
    try {
      face.acceptBody();
      const body = await readBody(request, {
        limit,
        tooLarge: () => new RpcError(codes.request, `the message has more than ${limit} bytes`, { status: 413 }),
        tooSlow: () => new RpcError(codes.request, 'the message did not arrive within a minute', { status: 408 }),
      });
      const message = readMessage(body.toString('utf8'), headers);
      if (!message) return { status: 202 };
      const context = this.#context(exchange, face);
      exchange.name(operationName(message, context));
      try {
        return rpcAnswer(200, { result: await runMethod(context, message) }, message.id);
      } catch (error) {
        if (error instanceof RpcError) error.id = message.id;
        throw error;
      }
    } finally {
      release?.();
    }
  }

  #context(exchange: RawExchange, face: FaceRequest): McpContext {
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

/** One operation at work, whatever carries its requests: validate, authenticate, authorize, handle. */

import { SrvError } from '@srv/kernel';
import { Reply, clearedCookie } from '@srv/lib-api';
import { clientName, jsonResponse, sourceIp } from '@srv/lib-api/http';
import { presentedCredentials } from './identify.js';
import { RequestContext, notAuthenticated } from './request-context.js';
import { createValidator } from './validate.js';
import type { Exchange, HttpResponse, RequestParts } from '@srv/http/contract';
import type { User } from '@srv/kernel';
import type { AnyInput, AnyOperation } from '@srv/lib-api';
import type { ApiParts } from './request-context.js';

/** A request whose parameters are valid and whose caller is known. */
export interface Identified {
  readonly parameters: AnyInput;
  /** Absent where the operation needs none. */
  readonly caller: User | undefined;
}

/** A request whose caller may do what it asks for. */
export interface Admitted {
  readonly context: RequestContext;
  readonly input: AnyInput;
}

export class Endpoint {
  readonly operation: AnyOperation;
  /** Its name in statistics, such as `create_branch`. */
  readonly #action: string;
  readonly #parts: ApiParts;
  readonly #validator: ReturnType<typeof createValidator>;

  constructor(operation: AnyOperation, parts: ApiParts) {
    this.operation = operation;
    this.#action = operation.operationId.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
    this.#parts = parts;
    this.#validator = createValidator(operation);
  }

  /** Streams are refused before the client is asked to send them. */
  async beforeStream(exchange: Exchange, parts: RequestParts): Promise<Admitted> {
    const { parameters, caller } = await this.beforeBody(exchange, parts);
    const admitted = await this.#admit(exchange, caller, parameters);
    await this.operation.prepare?.(admitted.context, admitted.input);
    return admitted;
  }

  /** The body of an admitted request is read as it arrives. */
  async handleStream({ context, input }: Admitted, { request }: Exchange): Promise<HttpResponse> {
    return this.#answer(await this.operation.handler(context, { body: request, ...input }));
  }

  /** Nothing of a body is parsed for a caller without valid credentials. */
  async beforeBody(exchange: Exchange, parts: RequestParts): Promise<Identified> {
    const { access = 'user' } = this.operation;
    const parameters = this.#validator.parts(parts);
    const caller = access === 'public' ? undefined : await this.#identify(exchange);
    if (caller) exchange.user = caller.username;
    else if (access === 'user') throw notAuthenticated();
    return { parameters, caller };
  }

  /** @param payload the parsed JSON body; of no meaning where the operation has none. */
  async handle(exchange: Exchange, { parameters, caller }: Identified, payload?: unknown): Promise<HttpResponse> {
    const { operation } = this;
    const given = operation.body === undefined ? parameters : { body: this.#validator.body(payload), ...parameters };
    const { context, input } = await this.#admit(exchange, caller, given);
    return this.#answer(await operation.handler(context, input));
  }

  /** Permission comes before existence: a caller without it does not learn what exists. */
  async #admit(exchange: Exchange, caller: User | undefined, input: AnyInput): Promise<Admitted> {
    const { operationId } = this.operation;
    const context = new RequestContext(this.#parts, exchange, caller);
    if (this.operation.supported?.(context) === false) throw new SrvError('unsupported', 'Not Implemented');
    const asked = this.operation.permission?.(input, context);
    const permission = await asked;
    // What was looked up for it may be unknown to the caller.
    if (permission) await context.demand(permission, asked instanceof Promise);
    const { repository } = input;
    const ref = input.branch ?? input.ref;
    this.#parts.log.debug(
      { request_id: exchange.requestId, user: caller?.username, class: 'api_server', name: operationId, repository, ref },
      'performing API action',
    );
    // Anonymous requests are not counted.
    if (caller) {
      this.#parts.count({
        class: 'api_server',
        name: this.#action,
        repository: textOf(repository),
        ref: textOf(ref ?? input.destinationBranch),
        sourceRef: textOf(input.sourceRef),
        user: caller.username,
        client: clientName(context.headers),
      });
    }
    return { context, input };
  }

  /** `undefined` without credentials. @throws SrvError `unauthenticated` for bad ones. */
  async #identify({ request, response, secure, remoteAddress }: Exchange): Promise<User | undefined> {
    const { identity } = this.#parts;
    const { session, installationId } = identity;
    const from = (): string => sourceIp(remoteAddress, request.headers);
    const { credentials, cookie } = presentedCredentials(request.headers, request.method ?? '', from, installationId);
    const user = await identity.authenticate(credentials);
    if (user || credentials.kind === 'headers') return user;
    // It may be the session of another server on this host.
    if (cookie === 'old') return identity.authenticate({ kind: 'headers', headers: request.headers });
    // An expired session would make every further request fail.
    if (cookie && session) response.setHeader('Set-Cookie', clearedCookie({ domain: session.cookieDomain, secure, installationId }));
    throw notAuthenticated();
  }

  #answer(result: unknown): HttpResponse {
    const { status, result: kind } = this.operation;
    if (result instanceof Reply) {
      const { status: own = status, headers = {}, json, body = json, stream } = result.parts;
      if (stream) return { status: own, headers: { ...headers, 'Content-Length': String(stream.size) }, body: stream.body };
      if (body === undefined) return { status: own, headers };
      const answer = jsonResponse(own, body);
      return { ...answer, headers: { ...answer.headers, ...headers } };
    }
    if (kind.kind === 'empty' || result === undefined) return { status };
    if (kind.kind === 'text') return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: result as string };
    return jsonResponse(status, result as object);
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

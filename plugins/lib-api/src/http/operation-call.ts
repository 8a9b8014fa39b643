/** Runs an operation of the HTTP API, with its own permission: a face uses what other plugins offer without knowing them. */
import { SrvError } from '@srv/kernel';
import { sourceIp } from './source-ip.js';
import type { Decision, Logger, Permission, ServiceRegistry, User } from '@srv/kernel';
import type { OperationContext } from '../operations/context.js';
import type { AnyInput, AnyOperation } from '../operations/operation.js';
import type { FaceRequest } from './face-request.js';

export interface OperationCallParts {
  readonly services: Pick<ServiceRegistry, 'get' | 'find'>;
  readonly operations: readonly AnyOperation[];
  readonly log: Logger;
  readonly face: FaceRequest;
  readonly describe: OperationContext['describe'];
  /** Ends the operation. Default: that of the request, whose caller has left. */
  readonly signal?: AbortSignal;
}

/** @throws SrvError `unsupported` where no plugin offers the operation, `denied` where the caller may not. */
export async function callOperation(parts: OperationCallParts, operationId: string, input: AnyInput): Promise<unknown> {
  const operation = parts.operations.find(known => known.operationId === operationId);
  if (!operation) throw new SrvError('unsupported', `this server does not offer ${operationId}: the plugin with it is switched off`);
  const context = new CallContext(parts);
  const permission = await operation.permission?.(input, context);
  if (permission) await parts.face.demand(permission);
  return operation.handler(context, input);
}

class CallContext implements OperationContext {
  readonly services: OperationContext['services'];
  readonly log: Logger;
  readonly headers: OperationContext['headers'];
  readonly headerLines: OperationContext['headerLines'];
  readonly secure: boolean;
  readonly sourceIp: string;
  readonly caller: User;
  readonly user: User;
  readonly committer: string;
  readonly describe: OperationContext['describe'];
  readonly #face: FaceRequest;
  readonly #signal: AbortSignal | undefined;

  constructor({ services, face, log, describe, signal }: OperationCallParts) {
    const { exchange, user, committer } = face;
    const { headers, rawHeaders } = exchange.request;
    this.services = services;
    this.log = log;
    this.headers = headers;
    this.headerLines = rawHeaders;
    this.secure = exchange.secure || headers['x-forwarded-proto'] === 'https';
    this.sourceIp = sourceIp(exchange.remoteAddress, headers);
    this.caller = user;
    this.user = user;
    this.committer = committer;
    this.describe = describe;
    this.#face = face;
    this.#signal = signal;
  }

  get signal(): AbortSignal {
    return this.#signal ?? this.#face.signal;
  }

  // A function rather than a method: handlers take it out of the context.
  readonly decide = (permission: Permission): Promise<Decision> => this.#face.decide(permission);
}

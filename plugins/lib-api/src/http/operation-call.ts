/** Runs an operation of the HTTP API, with its own permission: a face uses what other plugins offer without knowing them. */
import { SrvError } from '@srv/kernel';
import { sourceIp } from './source-ip.js';
import type { Logger, ServiceRegistry } from '@srv/kernel';
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
  const context = contextOf(parts);
  const permission = await operation.permission?.(input, context);
  if (permission) await parts.face.demand(permission);
  return operation.handler(context, input);
}

function contextOf({ services, face, log, describe, signal }: OperationCallParts): OperationContext {
  const { exchange, user, committer } = face;
  const { headers } = exchange.request;
  return {
    services,
    log,
    headers,
    secure: exchange.secure || headers['x-forwarded-proto'] === 'https',
    sourceIp: sourceIp(exchange.remoteAddress, headers),
    get signal() {
      return signal ?? face.signal;
    },
    caller: user,
    user,
    committer,
    decide: permission => face.decide(permission),
    describe,
  };
}

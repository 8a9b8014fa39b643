/** Runs an operation of the HTTP API, with its own permission: what another plugin offers is used without knowing the plugin. */
import { SrvError } from '@srv/kernel';
import { sourceIp } from '@srv/lib-api/http';
import type { AnyInput, OperationContext } from '@srv/lib-api';
import type { McpContext } from './context.js';

/** @throws SrvError `unsupported` where no plugin offers the operation, `denied` where the caller may not. */
export async function callOperation(parts: McpContext, operationId: string, input: AnyInput): Promise<unknown> {
  const operation = parts.operations.find(known => known.operationId === operationId);
  if (!operation) throw new SrvError('unsupported', `this server does not offer ${operationId}: the plugin with it is switched off`);
  const context = contextOf(parts);
  const permission = await operation.permission?.(input, context);
  if (permission) await parts.face.demand(permission);
  return operation.handler(context, input);
}

function contextOf({ services, face, log, http }: McpContext): OperationContext {
  const { exchange, user, committer } = face;
  const { headers } = exchange.request;
  return {
    services,
    log,
    headers,
    secure: exchange.secure || headers['x-forwarded-proto'] === 'https',
    sourceIp: sourceIp(exchange.remoteAddress, headers),
    get signal() {
      return face.signal;
    },
    caller: user,
    user,
    committer,
    decide: permission => face.decide(permission),
    describe: error => http.describe(error),
  };
}

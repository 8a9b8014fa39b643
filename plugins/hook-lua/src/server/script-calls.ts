/** What scripts ask this server for: a few operations of its API, as the user of the hook or with credentials of their own. */

import operations from '@srv/engine/operations';
import { SrvError } from '@srv/kernel';
import { callOperation } from './operation-call.js';
import type { User } from '@srv/kernel';
import type { AnyOperation } from '@srv/lib-api';
import type { ApiCall, Reply } from '../thread/protocol.js';
import type { CallParts } from './operation-call.js';

const { getObject, statObject, listObjects, updateObjectUserMetadata, diffRefs, diffBranch, createTag } = operations;
const offered: ReadonlyMap<string, AnyOperation> = new Map<string, AnyOperation>(
  Object.entries({ getObject, statObject, listObjects, updateObjectUserMetadata, diffRefs, diffBranch, createTag }),
);

/** Operations of plugins that may be switched off. */
const ofPlugins: readonly string[] = ['diffRows'];

/** @param user whose request started the hook. */
export async function answerCall(call: ApiCall, user: User, signal: AbortSignal, parts: CallParts): Promise<Reply> {
  const known = offered.has(call.operation) || ofPlugins.includes(call.operation);
  if (!known) throw new SrvError('unsupported', `scripts cannot call ${call.operation}`);
  const operation = offered.get(call.operation) ?? parts.operations().find(({ operationId }) => operationId === call.operation);
  if (!operation) return missing(call.operation);
  const caller = call.as ? await userOf(call.as, parts) : user;
  return { kind: 'answer', ...(await callOperation(operation, call.input, caller, signal, parts)) };
}

function missing(operation: string): Reply {
  const message = `this server does not offer ${operation}: the plugin with it is switched off`;
  return { kind: 'answer', status: 501, body: Buffer.from(JSON.stringify({ message })) };
}

async function userOf(key: NonNullable<ApiCall['as']>, { services }: CallParts): Promise<User> {
  const user = await services.get('identity').authenticate({ kind: 'basic', ...key });
  if (!user) throw new SrvError('unauthenticated', 'the access key and secret of the client are not those of a user');
  return user;
}

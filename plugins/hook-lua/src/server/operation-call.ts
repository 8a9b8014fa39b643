/** Calls operations of the API in this process: checked and authorized like requests, without a connection. */

import { SrvError, isSrvError, messageOf, throwIfAborted } from '@srv/kernel';
import { Reply } from '@srv/lib-api';
import Joi from 'joi';
import type { Readable } from 'node:stream';
import type { Identity, Logger, Permission, ServiceRegistry, User } from '@srv/kernel';
import type { AnyInput, AnyOperation, OperationContext } from '@srv/lib-api';

/** Address that conditions of policies see. */
const sourceAddress = '[internal (lua)]';

export interface CallParts {
  readonly services: Pick<ServiceRegistry, 'get' | 'find'>;
  readonly log: Logger;
  /** Of the HTTP API, those of other plugins included. */
  readonly operations: () => readonly AnyOperation[];
  /** Bytes of an answer. */
  readonly maxBody: number;
}

interface CallResponse {
  readonly status: number;
  /** In memory of its own, which may move to another thread. Absent: empty. */
  readonly body?: Uint8Array;
}

/** Carries an operation out for a user. Refusals are answers too. @throws SrvError when the answer cannot be passed on. */
export async function callOperation(
  operation: AnyOperation,
  input: AnyInput,
  user: User,
  signal: AbortSignal,
  parts: CallParts,
): Promise<CallResponse> {
  const context = contextOf(user, signal, parts);
  let result: unknown;
  try {
    const checked = check(operation, input);
    const permission = await operation.permission?.(checked, context);
    if (permission) {
      const { allowed, reason } = await context.decide(permission);
      if (!allowed) throw new SrvError('denied', reason ?? 'insufficient permissions: not allowed');
    }
    result = await operation.handler(context, checked);
  } catch (error) {
    throwIfAborted(signal);
    const { status, message } = context.describe(error);
    if (status >= 500)
      parts.log.warn({ operation: operation.operationId, error: messageOf(error) }, 'an operation called by a hook failed');
    return { status, body: jsonBytes({ message }) };
  }
  return answerOf(operation, result, parts.maxBody);
}

function contextOf(user: User, signal: AbortSignal, { services, log }: CallParts): OperationContext {
  const identity: Identity = services.get('identity');
  return {
    services,
    log,
    headers: {},
    headerLines: [],
    secure: true,
    sourceIp: sourceAddress,
    signal,
    caller: user,
    user,
    committer: user.email || user.username,
    decide: (permission: Permission) => identity.authorize({ user, permission, sourceIp: sourceAddress }),
    describe: error => describe(services, error),
  };
}

/** The listener's translation of errors, where there is a listener. Its types belong to a layer above. */
function describe(services: Pick<ServiceRegistry, 'get' | 'find'>, error: unknown): { readonly status: number; readonly message: string } {
  const http = (services as { find(name: string): unknown }).find('http');
  const known = http as { describe?(error: unknown): { readonly status: number; readonly message: string } } | undefined;
  if (known?.describe) return known.describe(error);
  return isSrvError(error)
    ? { status: error.code === 'not_found' ? 404 : 400, message: error.message }
    : { status: 500, message: 'internal server error' };
}

function check({ params = {}, query = {}, headers = {}, body }: AnyOperation, input: AnyInput): AnyInput {
  const { body: content, ...named } = input;
  const value = validate(Joi.object({ ...params, ...query, ...headers }), named) as AnyInput;
  if (body === undefined || body === 'stream') return value;
  return { ...value, body: validate(body, content) };
}

function validate(schema: Joi.Schema, value: unknown): unknown {
  const result = schema.validate(value, { stripUnknown: { objects: true, arrays: false }, errors: { label: false } });
  const [problem] = result.error?.details ?? [];
  if (problem) throw new SrvError('invalid', `argument ${problem.path.join('.')}: ${problem.message}`);
  return result.value as unknown;
}

async function answerOf(operation: AnyOperation, result: unknown, maxBody: number): Promise<CallResponse> {
  const { status } = operation;
  if (result === undefined) return { status };
  if (!(result instanceof Reply)) return { status, body: jsonBytes(result) };
  const { status: own = status, json, body, stream } = result.parts;
  // The operation may keep its bytes for other callers.
  if (json) return { status: own, body: new Uint8Array(json) };
  if (body !== undefined) return { status: own, body: jsonBytes(body) };
  if (!stream) return { status: own };
  if (stream.size > maxBody) {
    stream.body.destroy();
    throw new SrvError('invalid', `the object has ${stream.size} bytes; scripts can read ${maxBody} bytes at once`);
  }
  return { status: own, body: await readBody(stream.body, stream.size) };
}

/** Filled piece by piece, never copied as a whole: it may be large. */
async function readBody(body: Readable, length: number): Promise<Uint8Array> {
  const whole = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    if (at + piece.length > length) throw new SrvError('corrupt', `an object of ${length} bytes gave more`);
    at += piece.copy(whole, at);
  }
  if (at < length) throw new SrvError('no_data', `an object of ${length} bytes gave ${at}`);
  return whole;
}

function jsonBytes(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

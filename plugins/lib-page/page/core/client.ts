/** Calls operations of the API from the page, as data of the same table that the command line uses. */
import { boot } from './boot.js';
import { Server } from './wire.js';
import type { CallInput, CallResult, Operations } from '@srv/lib-api/client';
import type { CallOptions, Input, WireRequest } from './wire.js';

export { Refusal, SessionEnded, messageIn, messageOf } from './wire.js';
export type { Input } from './wire.js';

type OperationId = Extract<keyof Operations, string>;

let whenSessionEnds: () => void = () => undefined;
const server = new Server({
  version: boot.version,
  operations: boot.operations,
  base: document.baseURI,
  onSessionEnd: () => whenSessionEnds(),
});

/** @param act runs when the server no longer accepts the session. */
export function onSessionEnd(act: () => void): void {
  whenSessionEnds = act;
}

/** The session is known to have ended, by a worker. */
export function sessionEnded(): void {
  whenSessionEnds();
}

/** The operation's result. @throws Refusal */
export async function call<K extends OperationId>(
  operationId: K,
  input: CallInput<Operations[K]>,
  options?: CallOptions,
): Promise<CallResult<Operations[K]>> {
  return (await ask(operationId, input as Input, options)) as CallResult<Operations[K]>;
}

/** Like {@link call}, for an operation of a feature that may be missing: its shapes are the caller's. */
export async function ask(operationId: string, input: Input = {}, options: CallOptions = {}): Promise<unknown> {
  const response = await send(operationId, input, options);
  const result = server.resultOf(operationId);
  if (result === 'json') return response.json();
  if (result === 'text' || result === 'bytes') return response.text();
  return undefined;
}

/** The answer itself, once it is known to be good. @throws Refusal */
export function send(
  operationId: string,
  input: Input = {},
  options: CallOptions & { headers?: Record<string, string> } = {},
): Promise<Response> {
  return server.send(operationId, input, options);
}

/** What an operation's input becomes on the wire. */
export function requestOf(operationId: string, input: Input): WireRequest {
  return server.requestOf(operationId, input);
}

/** Address of an object's bytes. */
export function objectUrl(repository: string, ref: string, path: string): string {
  return requestOf('getObject', { repository, ref, path }).url.href;
}

/** Calls operations of the API from a browser, as data of the same table that the command line uses. */
import { encodeName } from '@srv/lib-operations/names';
import { boot } from './boot.js';
import type { CallInput, CallResult, Operations } from '@srv/lib-operations/client';
// Completes the types of operations.
import type {} from '@srv/lib-engine-operations';

export type OperationId = Extract<keyof Operations, string>;
export type Input = Readonly<Record<string, unknown>>;

/** The server said no, or could not be reached (status 0). */
export class Refusal extends Error {
  readonly status: number;
  readonly operationId: string;
  readonly body: unknown;

  constructor(status: number, message: string, operationId: string, body?: unknown) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.operationId = operationId;
    this.body = body;
  }
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Compared literally: with it a session has ended; any other 401 is a missing permission. */
const sessionOver = 'error authenticating request';
let whenSessionEnds: () => void = () => undefined;

/** @param act runs when the server no longer knows who asks. */
export function onSessionEnd(act: () => void): void {
  whenSessionEnds = act;
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
  const result = boot.operations[operationId]?.[5];
  if (result === 'json') return response.json();
  if (result === 'text' || result === 'bytes') return response.text();
  return undefined;
}

/** The answer itself, once it is known to be good. @throws Refusal */
export async function send(
  operationId: string,
  input: Input = {},
  options: CallOptions & { headers?: Record<string, string> } = {},
): Promise<Response> {
  const { method, url, headers, body } = requestOf(operationId, input);
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      headers: { ...headers, ...options.headers },
      ...(body === undefined ? {} : { body }),
      ...(options.signal ? { signal: options.signal } : {}),
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Refusal(0, 'The server cannot be reached. Check the connection, then try again.', operationId);
  }
  if (!response.ok) throw await refusalOf(operationId, response);
  return response;
}

export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body?: string | Blob;
}

/** What an operation's input becomes on the wire. */
export function requestOf(operationId: string, input: Input): WireRequest {
  const row = boot.operations[operationId];
  if (!row) throw new Refusal(501, `This server has no operation ${operationId}.`, operationId);
  const [method, path, query, headerNames, bodyKind] = row;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeName(String(input[name])));
  const url = new URL(`api/v1${filled}`, document.baseURI);
  for (const name of query)
    for (const value of [input[name]].flat()) if (value !== undefined && value !== null) url.searchParams.append(name, String(value));
  const headers: Record<string, string> = { accept: 'application/json', 'x-lakefs-client': `srv-page/${boot.version}` };
  for (const name of headerNames) if (input[name] !== undefined) headers[name.toLowerCase()] = String(input[name]);
  const { body } = input;
  if (body === undefined || bodyKind === 'none') return { method, url, headers };
  if (bodyKind === 'stream')
    return { method, url, headers: { 'content-type': 'application/octet-stream', ...headers }, body: body as Blob };
  return { method, url, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

async function refusalOf(operationId: string, response: Response): Promise<Refusal> {
  const text = await response.text();
  const { message, body } = messageIn(text);
  if (response.status === 401 && message === sessionOver) whenSessionEnds();
  return new Refusal(response.status, message || response.statusText || `status ${response.status}`, operationId, body);
}

/** What the server said. */
export function messageIn(text: string): { readonly message: string; readonly body?: unknown } {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string')
      return { message: body.message, body };
    return { message: '', body };
  } catch {
    return { message: text.slice(0, 500) };
  }
}

/** Address of an object's bytes. */
export function objectUrl(repository: string, ref: string, path: string): string {
  return requestOf('getObject', { repository, ref, path }).url.href;
}

/** What to show of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Operations of the API as HTTP requests of a browser: for the page, and for its workers, which cannot see the document. */
import { encodeName } from '@srv/lib-api/names';
import type { OperationRow } from './operation-row.js';

export type { OperationRow } from './operation-row.js';

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

/** The server no longer accepts the session. */
export class SessionEnded extends Refusal {
  constructor(operationId: string, body?: unknown) {
    super(401, 'Your session has ended. Log in again in another tab, then try again: what you typed is still here.', operationId, body);
    this.name = 'SessionEnded';
  }
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body?: string | Blob;
}

interface ServerFacts {
  readonly version: string;
  readonly operations: Readonly<Record<string, OperationRow>>;
  /** Address of the page's root. */
  readonly base: string;
  /** The server no longer accepts the session. */
  readonly onSessionEnd: () => void;
}

/** Compared literally: with it a session has ended; any other 401 is a missing permission. */
const sessionOver = 'error authenticating request';

export class Server {
  readonly #facts: ServerFacts;

  constructor(facts: ServerFacts) {
    this.#facts = facts;
  }

  /** Whether an operation only reads. */
  isReading(operationId: string): boolean {
    return ['GET', 'HEAD'].includes(this.#facts.operations[operationId]?.[0] ?? '');
  }

  /** Kind of an operation's result. */
  resultOf(operationId: string): string | undefined {
    return this.#facts.operations[operationId]?.[5];
  }

  /** The answer itself, once it is known to be good. @throws Refusal */
  async send(
    operationId: string,
    input: Input = {},
    options: CallOptions & { headers?: Readonly<Record<string, string>> | undefined } = {},
  ): Promise<Response> {
    const { method, url, headers, body } = this.requestOf(operationId, input);
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
      throw new Refusal(0, `The server cannot be reached. ${this.#remedyOf(operationId)}`, operationId);
    }
    this.#nameBrokenBody(operationId, response);
    if (!response.ok) throw await this.#refusalOf(operationId, response);
    return response;
  }

  /** A connection may break after the answer has begun: reading the body then fails with the words of this page, not the browser's. */
  #nameBrokenBody(operationId: string, response: Response): void {
    for (const method of ['arrayBuffer', 'blob', 'json', 'text'] as const) {
      const read = response[method].bind(response);
      response[method] = () =>
        read().catch((error: unknown) => {
          // Other errors are of a reader that stopped, or of the content.
          if (!(error instanceof TypeError)) throw error;
          throw new Refusal(0, `The connection broke before the whole answer arrived. ${this.#remedyOf(operationId)}`, operationId);
        });
    }
  }

  /** A change may have reached the server although its answer is missing. */
  #remedyOf(operationId: string): string {
    return this.isReading(operationId)
      ? 'Check the connection, then try again.'
      : 'Check the connection, and whether it was done, before you try again.';
  }

  /** What an operation's input becomes on the wire. */
  requestOf(operationId: string, input: Input): WireRequest {
    const row = this.#facts.operations[operationId];
    if (!row) throw new Refusal(501, `This server has no operation ${operationId}.`, operationId);
    const [method, path, query, headerNames, bodyKind] = row;
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeName(String(input[name])));
    const url = new URL(`api/v1${filled}`, this.#facts.base);
    for (const name of query)
      for (const value of [input[name]].flat()) if (value !== undefined && value !== null) url.searchParams.append(name, String(value));
    const headers: Record<string, string> = { accept: 'application/json', 'x-lakefs-client': `srv-page/${this.#facts.version}` };
    for (const name of headerNames) if (input[name] !== undefined) headers[name.toLowerCase()] = String(input[name]);
    const { body } = input;
    if (body === undefined || bodyKind === 'none') return { method, url, headers };
    if (bodyKind === 'stream')
      return { method, url, headers: { 'content-type': 'application/octet-stream', ...headers }, body: body as Blob };
    return { method, url, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
  }

  async #refusalOf(operationId: string, response: Response): Promise<Refusal> {
    const text = await response.text();
    const { message, body } = messageIn(text);
    if (response.status === 401 && message === sessionOver) {
      this.#facts.onSessionEnd();
      return new SessionEnded(operationId, body);
    }
    return new Refusal(response.status, message || response.statusText || `status ${response.status}`, operationId, body);
  }
}

/** What the server said. */
export function messageIn(text: string): { readonly message: string; readonly body?: unknown } {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string')
      return { message: body.message, body };
    return { message: '', body };
  } catch {
    // A document of something between the page and the server, which is not a message for people.
    if (/^\s*<(?:!doctype|html|head|body|\?xml)/i.test(text)) return { message: titleOf(text) };
    return { message: text.slice(0, 500) };
  }
}

function titleOf(document: string): string {
  const title = /<title[^>]{0,200}>([^<]{0,200})/i.exec(document)?.[1]?.trim() ?? '';
  return `Something between this page and the server answered${title === '' ? '' : `: ${title}`}. Try again, or ask the administrator.`;
}

/** What to show of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

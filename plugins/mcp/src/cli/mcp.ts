/** `cli mcp`: the protocol on standard input and output, for programs that start their servers. */
import { createInterface } from 'node:readline';
import { PassThrough, Readable } from 'node:stream';
import { SrvError, defineConfig, key, messageOf } from '@srv/kernel';
import { Turns } from '@srv/lib-api/turns';
import { defineCommand } from '@srv/lib-commands';
import type { ReadableStream } from 'node:stream/web';
import type { CommandContext } from '@srv/lib-commands';

/** Where the server is, and who calls: as all commands read it. */
const section = defineConfig({
  plugin: 'mcp',
  keys: {
    'server.endpoint_url': key.text({ default: 'http://127.0.0.1:8000', meaning: 'Base URL of the server' }),
    'credentials.access_key_id': key.text({ default: '', meaning: 'Access key ID' }),
    'credentials.secret_access_key': key.text({ default: '', secret: true, meaning: 'Secret access key' }),
  },
});

/** Characters of one message. */
const maxLine = 24 << 20;

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'Serve the Model Context Protocol on standard input and output',
  description:
    'Reads one message per line and forwards it to the server, with the credentials of the configuration: for desktop programs that start their servers. Ends when standard input ends.',
  examples: ['cli mcp', 'cli mcp --read-only'],
  localEffects: true,
  options: [{ name: 'read-only', type: 'bool', default: false, description: 'offer no tools that write' }],
  async run(context, { options }) {
    const { endpoint, authorization } = await target(context);
    const readOnly: Record<string, string> = options['read-only'] === true ? { 'X-MCP-Readonly': 'true' } : {};
    return forward(process.stdin, { endpoint, headers: { authorization, ...readOnly }, signal: context.signal });
  },
  render: line => line,
});

async function target({ configuration }: CommandContext): Promise<{ readonly endpoint: URL; readonly authorization: string }> {
  const values = await configuration.read(section);
  const [id, secret] = [values['credentials.access_key_id'], values['credentials.secret_access_key']];
  if (!id || !secret) throw new SrvError('invalid', `no access key is configured in ${configuration.file}; run cli config`);
  const base = values['server.endpoint_url'];
  if (!URL.canParse(base)) throw new SrvError('invalid', `server.endpoint_url ${JSON.stringify(base)} is not a URL`);
  const endpoint = new URL(base);
  endpoint.pathname = `${endpoint.pathname.replace(/\/(?:api\/v1\/?)?$/, '')}/mcp`;
  return { endpoint, authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
}

interface Forwarding {
  readonly endpoint: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Requests that run at the same time; more wait. */
const mostRunning = 16;
/** Messages that run or wait: no further ones are read, which may be cancellations. */
const mostPending = 256;

/** Answers of the server and what it says meanwhile, a line each, as they come. A message may cancel one that runs or waits. */
export async function* forward(input: Readable, options: Forwarding): AsyncGenerator<string> {
  const lines = new PassThrough({ objectMode: true });
  const pendingById = new Map<unknown, AbortController>();
  const turns = new Turns(mostRunning);
  let session: Record<string, string> = {};
  const take = async (line: string, message: Message | undefined): Promise<void> => {
    const leaving = new AbortController();
    const id = message?.['id'];
    if (id !== undefined) pendingById.set(id, leaving);
    const signal = AbortSignal.any([options.signal, leaving.signal]);
    let endTurn: (() => void) | undefined;
    try {
      if (isAnswered(message)) endTurn = await turns.acquire(signal);
      for await (const answer of exchange(line, message, { ...options, headers: { ...options.headers, ...session }, signal })) {
        if (answer.session) session = { 'Mcp-Session-Id': answer.session };
        if (!leaving.signal.aborted) lines.write(answer.line);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      endTurn?.();
      if (pendingById.get(id) === leaving) pendingById.delete(id);
    }
  };
  const reading = (async () => {
    const pending = new Set<Promise<void>>();
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.trim() === '') continue;
      if (line.length > maxLine) {
        lines.write(failure(undefined, 'the message is too long'));
        continue;
      }
      const message = parse(line);
      // Before the wait, which it may shorten. The server notices that its caller has left.
      pendingById.get(cancelledBy(message))?.abort();
      while (pending.size >= mostPending) await Promise.race(pending);
      const work = take(line, message).finally(() => pending.delete(work));
      pending.add(work);
    }
    await Promise.all(pending);
    lines.end();
  })();
  reading.catch((error: unknown) => lines.destroy(error instanceof Error ? error : new Error(String(error))));
  for await (const line of lines) yield String(line);
}

interface AnswerLine {
  readonly line: string;
  readonly session: string | null;
}

/** The version that the client agreed on is in each modern message; older ones need no header. */
async function* exchange(
  line: string,
  message: Message | undefined,
  { endpoint, headers, signal }: Forwarding,
): AsyncGenerator<AnswerLine> {
  const expectsAnswer = isAnswered(message);
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers, ...mirrored(message) },
      body: line,
      signal,
    });
    const session = response.headers.get('mcp-session-id');
    for await (const text of messagesOf(response)) if (expectsAnswer) yield { line: JSON.stringify(JSON.parse(text)), session };
  } catch (error) {
    if (expectsAnswer && !signal.aborted)
      yield { line: failure(message?.['id'], `the server cannot be reached: ${messageOf(error)}`), session: null };
  }
}

/** The only message of a response, or those of a stream of events, whose data are a line each. */
async function* messagesOf(response: Response): AsyncGenerator<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body) {
    const text = (await response.text()).trim();
    if (text !== '') yield text;
    return;
  }
  for await (const line of createInterface({ input: Readable.fromWeb(response.body as ReadableStream) }))
    if (line.startsWith('data: ')) yield line.slice('data: '.length);
}

type Message = Readonly<Record<string, unknown>>;

function parse(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}

/** What the server cannot take as a message it refuses; only notifications have no answer. */
function isAnswered(message: Message | undefined): boolean {
  return message === undefined || message['id'] !== undefined;
}

/** Id of the request that a message cancels. */
function cancelledBy(message: Message | undefined): unknown {
  return message?.['method'] === 'notifications/cancelled' ? (message['params'] as Message | undefined)?.['requestId'] : undefined;
}

/** What a modern request repeats in headers. */
function mirrored(message: Message | undefined): Record<string, string> {
  const params = message?.['params'] as Message | undefined;
  const meta = params?.['_meta'] as Message | undefined;
  const version = meta?.['io.modelcontextprotocol/protocolVersion'];
  if (typeof version !== 'string' || typeof message?.['method'] !== 'string') return {};
  const name = params?.['name'] ?? params?.['uri'];
  return {
    'MCP-Protocol-Version': version,
    'Mcp-Method': message['method'],
    ...(typeof name === 'string' ? { 'Mcp-Name': encoded(name) } : {}),
  };
}

function encoded(name: string): string {
  return /^[\x21-\x7e]*$/.test(name) ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`;
}

function failure(id: unknown, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code: -32603, message } });
}

/** A server with MCP, and messages to it in both eras. */
import { basicOf, faceKey, sendRaw, startFaceServer } from '@srv/lib-api/testing';
import type {} from '@srv/auth/contract';
import type { Engine } from '@srv/engine/contract';
import type { FaceResponse, FaceServer } from '@srv/lib-api/testing';

export interface McpServer extends FaceServer {
  readonly engine: Engine;
}

/** With the repository `repo`, in which `data/a.txt` is committed. @param values configuration by key. */
export async function startMcp(values: Readonly<Record<string, unknown>> = {}, plugins: readonly string[] = ['pulls']): Promise<McpServer> {
  const server = await startFaceServer({ plugins: ['mcp', ...plugins], values });
  const engine = server.kernel.services.get('engine');
  await engine.createRepository({ id: 'repo', storageNamespace: 'local://repo' });
  await engine.putObject('repo', 'main', 'data/a.txt', Buffer.from('first text'));
  await engine.commit('repo', 'main', { committer: 'test', message: 'begin' });
  return { ...server, engine };
}

export const authorization = basicOf(faceKey);
export const modernVersion = '2026-07-28';

type Json = Readonly<Record<string, unknown>>;

export interface Reply {
  readonly status: number;
  readonly headers: FaceResponse['headers'];
  readonly result: Json;
  readonly error: { readonly code: number; readonly message: string; readonly data?: Json } | undefined;
}

export const meta = {
  'io.modelcontextprotocol/protocolVersion': modernVersion,
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** @param body an object is sent as JSON. */
export async function post(server: McpServer, body: object | string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  const {
    status,
    headers: answered,
    body: text,
  } = await sendRaw(server.url, '/mcp', {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const { result = {}, error } = text === '' ? {} : (JSON.parse(text) as { result?: Json; error?: Reply['error'] });
  return { status, headers: answered, result, error };
}

/** A request of the newest revision. */
export function modern(
  server: McpServer,
  method: string,
  params: Json = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const name = params['name'] ?? params['uri'];
  return post(
    server,
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
    { 'mcp-protocol-version': modernVersion, 'mcp-method': method, ...(typeof name === 'string' ? { 'mcp-name': name } : {}), ...headers },
  );
}

/** A request of an older revision. */
export function legacy(
  server: McpServer,
  method: string,
  params: Json = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  return post(server, { jsonrpc: '2.0', id: 'a', method, params }, { 'mcp-protocol-version': '2025-06-18', ...headers });
}

/** Messages of a stream of events, in their order. */
export const eventsOf = (body: string): readonly Json[] =>
  body
    .split('\n')
    .filter(line => line.startsWith('data: '))
    .map(line => JSON.parse(line.slice(6)) as Json);

export interface Called {
  readonly data: Json;
  /** Of a refusal. */
  readonly refusal: string | undefined;
}

export async function call(
  server: McpServer,
  name: string,
  args: Json = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Called> {
  const { result, error } = await modern(server, 'tools/call', { name, arguments: args }, headers);
  if (error) throw new Error(`${error.code} ${error.message}`);
  const [content] = result['content'] as readonly { readonly text: string }[];
  return result['isError'] === true
    ? { data: {}, refusal: content?.text }
    : { data: (result['structuredContent'] ?? {}) as Json, refusal: undefined };
}

/** A new user with these rights. @returns headers that say who calls. */
export async function addUser(
  { kernel }: McpServer,
  username: string,
  statements: readonly { readonly action: readonly string[]; readonly resource: string }[],
): Promise<Readonly<Record<string, string>>> {
  const auth = kernel.services.get('auth');
  await auth.createUser({ username });
  if (statements.length > 0) {
    await auth.createPolicy(
      username,
      statements.map(({ action, resource }) => ({ effect: 'allow' as const, action: [...action], resource })),
    );
    await auth.attachToUser(username, username);
  }
  const { accessKeyId, secretAccessKey } = await auth.createCredential(username);
  return { authorization: `Bearer ${accessKeyId}:${secretAccessKey}` };
}

/**
 * Has commits with the message `slow` wait until they are aborted: hooks of people may take that long.
 * @returns their signals, as they come.
 */
export function delaySlowCommits({ engine }: McpServer): AbortSignal[] {
  const waiting: AbortSignal[] = [];
  const commit = engine.commit.bind(engine);
  engine.commit = (repository, branch, options) => {
    const { signal } = options;
    if (options.message !== 'slow' || !signal) return commit(repository, branch, options);
    waiting.push(signal);
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))));
  };
  return waiting;
}

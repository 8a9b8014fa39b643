/** Clients of other authors in both eras, and `cli mcp`. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '@srv/kernel/testing';
import { faceKey } from '@srv/lib-api/testing';
import { loadPackage } from '@srv/test-servers/packages';
import { authorization, delaySlowCommits, meta, startMcp } from './support/server.js';
import type { McpServer } from './support/server.js';

let server: McpServer;
/** Signals of commits that wait until they are aborted. */
let waiting: AbortSignal[];
before(async () => {
  server = await startMcp();
  waiting = delaySlowCommits(server);
});
after(() => server.stop());

interface Client {
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<{ readonly tools: readonly unknown[] }>;
  callTool(
    call: object,
    ...more: readonly unknown[]
  ): Promise<{ readonly isError?: boolean; readonly structuredContent?: Readonly<Record<string, unknown>> }>;
  readResource(resource: object): Promise<{ readonly contents: readonly { readonly text?: string }[] }>;
  complete(request: object): Promise<{ readonly completion: { readonly values: readonly string[] } }>;
}
interface ClientModule {
  readonly Client: new (info: object, options?: object) => Client;
}
interface TransportModule {
  readonly StreamableHTTPClientTransport: new (url: URL, options: object) => unknown;
}

/** @param inOptions the place of the options among the arguments of `callTool`. */
async function works(
  client: Client,
  { StreamableHTTPClientTransport }: TransportModule,
  inOptions: readonly unknown[] = [],
): Promise<void> {
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers: { authorization } } }));
  assert.equal((await client.listTools()).tools.length, 13);
  const started = await client.callTool({ name: 'start_branch', arguments: { repository: 'repo' } });
  const branch = String(started.structuredContent?.['branch']);
  await client.callTool({ name: 'write_object', arguments: { repository: 'repo', branch, path: 'ä/b', text: 'new' } });
  assert.equal((await client.callTool({ name: 'commit', arguments: { repository: 'repo', branch, message: 'new' } })).isError, undefined);
  assert.equal((await client.readResource({ uri: `srv://repo/${branch}/ä/b` })).contents[0]?.text, 'new');
  const ref = { type: 'ref/resource', uri: 'srv://{repository}/{ref}/{+path}' };
  assert.deepEqual((await client.complete({ ref, argument: { name: 'repository', value: 're' } })).completion.values, ['repo']);
  assert.equal(
    (await client.callTool({ name: 'write_object', arguments: { repository: 'repo', branch: 'main', path: 'x', text: 'x' } })).isError,
    true,
  );
  const steps: number[] = [];
  const onprogress = ({ progress }: { readonly progress: number }): void => void steps.push(progress);
  const diff = { name: 'diff', arguments: { repository: 'repo', left: 'main', right: branch } };
  assert.equal((await client.callTool(diff, ...inOptions, { onprogress })).isError, undefined);
  assert.ok(steps.length > 0, 'the client hears of progress');
  const slow = { name: 'commit', arguments: { repository: 'repo', branch, message: 'slow' } };
  const user = new AbortController();
  const calling = client.callTool(slow, ...inOptions, { signal: user.signal, onprogress });
  const signal = await until(() => waiting.pop());
  user.abort();
  await assert.rejects(calling);
  await until(() => signal.aborted);
  await client.close();
}

test('the client of the first generation works', async () => {
  const { Client } = await loadPackage<ClientModule>('@modelcontextprotocol/sdk/client/index.js');
  await works(new Client({ name: 'test', version: '1' }), await loadPackage('@modelcontextprotocol/sdk/client/streamableHttp.js'), [
    undefined,
  ]);
});

for (const mode of ['legacy', 'auto']) {
  test(`the client of the second generation works, with the versions of mode ${mode}`, async () => {
    const module = await loadPackage<ClientModule & TransportModule>('@modelcontextprotocol/client');
    await works(new module.Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } }), module);
  });
}

test('cli mcp forwards messages of both eras with the credentials of the configuration', async () => {
  const program = join(fileURLToPath(new URL('../../../../', import.meta.url)), 'cli', 'bin', 'cli.js');
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: server.home,
    CLI_SERVER_ENDPOINT_URL: server.url,
    CLI_CREDENTIALS_ACCESS_KEY_ID: faceKey.accessKeyId,
    CLI_CREDENTIALS_SECRET_ACCESS_KEY: faceKey.secretAccessKey,
  };
  const child = spawn(process.execPath, [program, 'mcp'], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (piece: Buffer) => {
    errors += piece.toString();
  });
  const ended = new Promise<number | null>(resolve => child.once('close', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (message: object): Promise<Readonly<Record<string, unknown>>> => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const { value } = (await lines.next()) as { readonly value?: string };
    return JSON.parse(value ?? errors) as Readonly<Record<string, unknown>>;
  };
  const begun = await ask({
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  });
  assert.equal((begun['result'] as { protocolVersion: string }).protocolVersion, '2025-06-18');
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  assert.equal(((await ask({ id: 1, method: 'tools/list' }))['result'] as { tools: unknown[] }).tools.length, 13);
  const read = await ask({ id: 2, method: 'tools/call', params: { name: 'list_repositories', arguments: {}, _meta: meta } });
  assert.deepEqual([read['id'], (read['result'] as { resultType: string }).resultType], [2, 'complete']);
  // Progress comes before the result; what is cancelled has none.
  const call = (name: string, args: object, more: object = {}) => ({ method: 'tools/call', params: { name, arguments: args, ...more } });
  const step = await ask({ id: 3, ...call('start_branch', { repository: 'repo' }, { _meta: { progressToken: 'x' } }) });
  assert.equal(step['method'], 'notifications/progress');
  const started = JSON.parse(String(((await lines.next()) as { value: string }).value)) as {
    id: number;
    result: { structuredContent: object };
  };
  assert.equal(started.id, 3);
  child.stdin.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: 4, ...call('commit', { repository: 'repo', ...started.result.structuredContent, base_commit: undefined, source: undefined, message: 'slow' }) })}\n`,
  );
  const signal = await until(() => waiting.pop());
  const other = await ask({ id: 5, ...call('list_repositories', {}) });
  assert.equal(other['id'], 5, 'others are answered meanwhile');
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 4 } })}\n`);
  await until(() => signal.aborted);
  child.stdin.end();
  assert.equal(await ended, 0, errors);
  assert.equal(errors, '');
});

/** Messages of both eras: statuses, codes, headers. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sendRaw } from '@srv/lib-api/testing';
import { authorization, legacy, meta, modern, modernVersion, post, startMcp } from './support/server.js';
import type { McpServer } from './support/server.js';

let server: McpServer;
before(async () => {
  server = await startMcp({ 'mcp.allowed_origins': ['https://app.example.com'] });
});
after(() => server.stop());

const toolNames = ({ result }: { result: Readonly<Record<string, unknown>> }): string[] =>
  (result['tools'] as { name: string }[]).map(({ name }) => name);

test('the newest revision needs no handshake', async () => {
  const found = await modern(server, 'server/discover');
  assert.equal(found.status, 200);
  assert.deepEqual(found.result['supportedVersions'], ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']);
  assert.equal(found.result['resultType'], 'complete');
  assert.match(String(found.result['instructions']), /start_branch/);
  assert.deepEqual((found.result['_meta'] as Record<string, { name: string }>)['io.modelcontextprotocol/serverInfo']?.name, 'srv');
  const listed = await modern(server, 'tools/list');
  assert.equal(toolNames(listed).length, 13);
  assert.deepEqual([listed.result['ttlMs'], listed.result['cacheScope']], [60_000, 'private']);
});

test('older revisions begin with a handshake, of which nothing is kept', async () => {
  for (const [asked, agreed] of [
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['2024-11-05', '2025-11-25'],
  ]) {
    const { result, headers } = await post(server, {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: asked, capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    });
    assert.equal(result['protocolVersion'], agreed);
    assert.match(String(headers['mcp-session-id']), /^[\w-]{36}$/);
    assert.equal(result['resultType'], undefined);
  }
  assert.equal((await post(server, { jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202);
  assert.deepEqual((await legacy(server, 'ping')).result, {});
  assert.equal(toolNames(await legacy(server, 'tools/list')).length, 13);
  assert.equal((await legacy(server, 'ping', {}, { 'mcp-session-id': 'of another server' })).status, 200);
  assert.equal(toolNames(await post(server, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).length, 13, 'without a version');
});

test('messages that contradict the protocol have statuses and codes of their own', async () => {
  const request = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta: meta } };
  const headers = { 'mcp-protocol-version': modernVersion, 'mcp-method': 'tools/list' };
  for (const [title, answer, status, code] of [
    ['no version header', post(server, request, { 'mcp-method': 'tools/list' }), 400, -32020],
    ['no method header', post(server, request, { 'mcp-protocol-version': modernVersion }), 400, -32020],
    ['another method header', post(server, request, { ...headers, 'mcp-method': 'tools/call' }), 400, -32020],
    ['an unknown version', post(server, request, { ...headers, 'mcp-protocol-version': '2030-01-01' }), 400, -32022],
    ['no meta', post(server, { ...request, params: {} }, headers), 400, -32602],
    ['another name header', modern(server, 'tools/call', { name: 'log' }, { 'mcp-name': 'diff' }), 400, -32020],
    ['an unknown method', modern(server, 'ping'), 404, -32601],
    ['an unknown method of an older revision', legacy(server, 'toString'), 200, -32601],
    ['an unknown tool', modern(server, 'tools/call', { name: 'toString' }), 200, -32602],
    ['arguments in a list', modern(server, 'tools/call', { name: 'log', arguments: [] }), 200, -32602],
    ['an unknown resource', modern(server, 'resources/read', { uri: 'srv://repo/main/nothing' }), 200, -32602],
    ['no JSON', post(server, '{'), 400, -32700],
    ['a batch', post(server, [request]), 400, -32600],
    ['no JSON-RPC', post(server, { id: 1, method: 'ping' }), 400, -32600],
    ['an id of null', post(server, { jsonrpc: '2.0', id: null, method: 'ping' }), 400, -32600],
    ['another type', post(server, 'x', { 'content-type': 'text/plain' }), 415, -32600],
  ] as const) {
    const { status: found, error } = await answer;
    assert.deepEqual([title, found, error?.code], [title, status, code]);
  }
  const { error } = await post(server, request, { ...headers, 'mcp-protocol-version': '2030-01-01' });
  assert.deepEqual(error?.data, { supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'], requested: '2030-01-01' });
});

test('names that a header cannot hold come in base64', async () => {
  const uri = 'srv://repo/main/ä';
  const headers = { 'mcp-name': `=?base64?${Buffer.from(uri).toString('base64')}?=` };
  assert.equal((await modern(server, 'resources/read', { uri }, headers)).error?.code, -32602);
});

test('other methods of HTTP are refused', async () => {
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const { status, headers } = await sendRaw(server.url, '/mcp', { method });
    assert.deepEqual([status, headers.allow], [405, 'POST'], method);
  }
});

test('callers without credentials are refused, and not sent to a sign-in that does not exist', async () => {
  const refused = await post(server, { jsonrpc: '2.0', id: 1, method: 'ping' }, { authorization: '' });
  assert.deepEqual([refused.status, refused.headers['www-authenticate']], [401, 'Bearer realm="srv"']);
  assert.equal(
    (await post(server, { jsonrpc: '2.0', id: 1, method: 'ping' }, { authorization: 'Bearer AKIAJTESTTESTTESTTEQ:wrong' })).status,
    401,
  );
  assert.equal(
    (
      await post(
        server,
        { jsonrpc: '2.0', id: 1, method: 'ping' },
        { authorization: 'Bearer AKIAJTESTTESTTESTTEQ:secret/of+the+tests/which+is+40+letters0' },
      )
    ).status,
    200,
  );
});

test('pages of other sites, and other host names of a local server, are refused', async () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const { port } = new URL(server.url);
  for (const [headers, status] of [
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ host: 'evil.example' }, 403],
    [{ host: `evil.example:${port}`, origin: `http://evil.example:${port}` }, 403],
    [{ origin: `http://127.0.0.1:${port}` }, 200],
    [{ host: `localhost:${port}`, origin: `http://localhost:${port}` }, 200],
    [{ origin: 'https://app.example.com' }, 200],
  ] as const)
    assert.equal((await post(server, ping, headers)).status, status, JSON.stringify(headers));
  assert.equal(
    (await post(server, ping, { origin: 'https://app.example.com' })).headers['access-control-allow-origin'],
    'https://app.example.com',
  );
  const preflight = await sendRaw(server.url, '/mcp', {
    method: 'OPTIONS',
    headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
  });
  assert.equal(preflight.status, 204);
  assert.match(String(preflight.headers['access-control-allow-headers']), /Authorization/);
});

test('refuses texts and numbers that would arrive as others', async () => {
  const bytes = Buffer.from('{"jsonrpc":"2.0","id":"\xff","method":"ping"}', 'latin1');
  const headers = { 'content-type': 'application/json', authorization };
  const answer = await sendRaw(server.url, '/mcp', { method: 'POST', headers, body: bytes });
  assert.deepEqual([answer.status, /the body is not UTF-8/.test(answer.body)], [400, true]);
  const large = '{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}';
  assert.equal((await sendRaw(server.url, '/mcp', { method: 'POST', headers, body: large })).status, 400);
});

test('a message that is too large is refused', async () => {
  assert.equal((await post(server, `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(3_000_000)}"}`)).status, 413);
});

/** Progress of tools as a stream of events, and requests that their clients give up. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { after, before, test } from 'node:test';
import { until } from '@srv/kernel/testing';
import { heldBodies } from '@srv/lib-api/http';
import { sendRaw } from '@srv/lib-api/testing';
import { addUser, authorization, delaySlowCommits, eventsOf, legacy, meta, modernVersion, startMcp } from './support/server.js';
import type { McpServer } from './support/server.js';

let server: McpServer;
/** Signals of commits that wait until they are aborted: hooks of people may take that long. */
let waiting: AbortSignal[];
before(async () => {
  server = await startMcp({ 'auth.ui_config.rbac': 'internal' });
  waiting = delaySlowCommits(server);
});
after(() => server.stop());

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Headers and message of a call of a tool in one era. */
function toolCall(era: 'modern' | 'legacy', name: string, args: object, { id = 1, token }: { id?: number; token?: string | number } = {}) {
  const asked = token === undefined ? {} : { progressToken: token };
  const isModern = era === 'modern';
  const params = { name, arguments: args, _meta: { ...(isModern ? meta : {}), ...asked } };
  const headers = isModern
    ? { 'mcp-protocol-version': modernVersion, 'mcp-method': 'tools/call', 'mcp-name': name }
    : { 'mcp-protocol-version': '2025-11-25' };
  return { headers: { authorization, ...json, ...headers }, body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }) };
}
const post = (
  call: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  more: Readonly<Record<string, string>> = {},
) => sendRaw(server.url, '/mcp', { method: 'POST', headers: { ...call.headers, ...more }, body: call.body });

for (const era of ['modern', 'legacy'] as const) {
  test(`a client of the ${era} era that asks for progress hears of it, then gets the result`, async () => {
    for (const token of ['a token', 0]) {
      const answer = await post(toolCall(era, 'list_repositories', {}, { id: 7, token }));
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['content-type'], 'text/event-stream');
      const messages = eventsOf(answer.body);
      const last = messages.at(-1);
      assert.equal(last?.['id'], 7);
      assert.ok('structuredContent' in Object(last?.['result']));
      const steps = messages
        .slice(0, -1)
        .map(message => message['params'] as { progressToken: unknown; progress: number; message: string });
      assert.ok(steps.length > 0);
      let before = -1;
      for (const { progressToken, progress } of steps) {
        assert.equal(progressToken, token);
        assert.ok(progress > before);
        before = progress;
      }
    }
  });

  test(`in the ${era} era refusals and errors of a call with progress are its last message`, async () => {
    const refused = eventsOf((await post(toolCall(era, 'log', { repository: 'none', ref: 'main' }, { token: 1 }))).body).at(-1);
    assert.equal(Object(refused?.['result']).isError, true);
    const unknown = eventsOf((await post(toolCall(era, 'no_tool', {}, { token: 1 }))).body);
    assert.deepEqual(
      unknown.map(message => (message['error'] as { code: number }).code),
      [-32602],
    );
  });

  test(`a client of the ${era} era that does not ask, or takes no events, gets plain JSON`, async () => {
    assert.equal((await post(toolCall(era, 'list_repositories', {}))).headers['content-type'], 'application/json');
    const plain = await post(toolCall(era, 'list_repositories', {}, { token: 1 }), { accept: 'application/json' });
    assert.equal(plain.headers['content-type'], 'application/json');
  });

  test(`work for a client of the ${era} era ends when the client closes its connection`, async () => {
    const { headers, body } = await slowCommit(era, 3);
    const request = httpRequest(`${server.url}/mcp`, { method: 'POST', headers, agent: false });
    request.on('error', () => undefined);
    request.end(body);
    const signal = await until(() => waiting[0]);
    request.destroy();
    await until(() => signal.aborted);
    waiting.length = 0;
  });
}

test('the message of a call with progress counts as held until its work has ended', async () => {
  const { headers, body } = await slowCommit('modern', 4);
  const padded = body + ' '.repeat(100_000);
  const request = httpRequest(`${server.url}/mcp`, {
    method: 'POST',
    headers: { ...headers, 'content-length': String(Buffer.byteLength(padded)) },
    agent: false,
  });
  request.on('error', () => undefined);
  request.end(padded);
  await once(request, 'response');
  const signal = await until(() => waiting[0]);
  assert.equal(heldBodies.held, Buffer.byteLength(padded));
  request.destroy();
  await until(() => signal.aborted && heldBodies.held === 0);
  waiting.length = 0;
  for (const call of [toolCall('modern', 'no_tool', {}, { token: 1 }), toolCall('modern', 'list_repositories', {})]) {
    await post({ ...call, body: call.body + ' '.repeat(100_000) });
    assert.equal(heldBodies.held, 0);
  }
});

async function slowCommit(era: 'modern' | 'legacy', id: number) {
  const started = await post(toolCall(era, 'start_branch', { repository: 'repo' }));
  const { result } = JSON.parse(started.body) as { result: { structuredContent: { branch: string } } };
  return toolCall(era, 'commit', { repository: 'repo', branch: result.structuredContent.branch, message: 'slow' }, { id, token: 1 });
}

test('a client of the legacy era cancels its own request, and no other one', async () => {
  const begun = await legacy(server, 'initialize', { protocolVersion: '2025-11-25' });
  const session = String(begun.headers['mcp-session-id']);
  const other = String((await legacy(server, 'initialize', { protocolVersion: '2025-11-25' })).headers['mcp-session-id']);
  assert.notEqual(session, other);
  const answering = post(await slowCommit('legacy', 5), { 'mcp-session-id': session });
  const signal = await until(() => waiting[0]);
  const cancel = (requestId: unknown, more: Readonly<Record<string, string>>) =>
    sendRaw(server.url, '/mcp', {
      method: 'POST',
      headers: { authorization, ...json, ...more },
      body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }),
    });
  const mary = await addUser(server, 'mary', []);
  for (const [id, more] of [
    [6, { 'mcp-session-id': session }],
    ['5', { 'mcp-session-id': session }],
    [{}, { 'mcp-session-id': session }],
    [5, { 'mcp-session-id': other }],
    [5, {}],
    [5, { 'mcp-session-id': session, ...mary }],
  ] as const)
    assert.equal((await cancel(id, more)).status, 202);
  assert.equal(signal.aborted, false);
  assert.equal((await cancel(5, { 'mcp-session-id': session })).status, 202);
  assert.equal(signal.aborted, true);
  const answer = await answering;
  assert.ok(
    eventsOf(answer.body).every(message => !('id' in message)),
    'a cancelled request has no result',
  );
  waiting.length = 0;
});

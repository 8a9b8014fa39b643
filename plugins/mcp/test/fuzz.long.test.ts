/** Ten thousand broken messages: none answers 5xx, or touches what the caller may not. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sendRaw } from '@srv/lib-api/testing';
import { addUser, meta, startMcp } from './support/server.js';
import type { McpServer } from './support/server.js';

const requests = Number(process.env['SRV_FUZZ_REQUESTS'] ?? 10_000);
const seed = Number(process.env['SRV_TEST_SEED'] ?? Date.now() % 2 ** 31);
const parallel = 16;
const repo = 'arn:lakefs:fs:::repository/repo';

let server: McpServer;
let limited: Readonly<Record<string, string>>;
before(async () => {
  server = await startMcp({ 'auth.ui_config.rbac': 'internal' });
  await server.engine.createRepository({ id: 'secret', storageNamespace: 'local://secret' });
  await server.engine.putObject('secret', 'main', 'x', Buffer.from('TOP SECRET'));
  await server.engine.putObject('repo', 'main', 'others/x', Buffer.from('TOP SECRET'));
  await server.engine.commit('repo', 'main', { committer: 'test', message: 'objects' });
  limited = await addUser(server, 'limited', [
    { action: ['fs:ListRepositories', 'fs:ReadRepository', 'fs:ListBranches', 'fs:ListObjects'], resource: repo },
    { action: ['fs:CreateBranch', 'fs:ReadBranch', 'fs:CreateCommit', 'fs:RevertBranch'], resource: `${repo}/branch/*` },
    { action: ['fs:ReadObject', 'fs:WriteObject', 'fs:DeleteObject'], resource: `${repo}/object/mine/*` },
  ]);
});
after(() => server.stop());

/** Numbers from 0 to 1 (mulberry32). */
function generator(state: number): () => number {
  let at = state;
  return () => {
    at = (at + 0x6d2b79f5) | 0;
    let value = Math.imul(at ^ (at >>> 15), 1 | at);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}

const methods = [
  'tools/call',
  'tools/call',
  'tools/call',
  'tools/list',
  'resources/read',
  'resources/list',
  'completion/complete',
  'initialize',
  'ping',
  'server/discover',
  '__proto__',
  'constructor',
  '',
];
const tools = [
  'list_repositories',
  'list_refs',
  'list_objects',
  'read_object',
  'log',
  'diff',
  'search',
  'start_branch',
  'write_object',
  'delete_objects',
  'commit',
  'revert',
  'propose_merge',
  'toString',
  '',
];
const names = [
  'repository',
  'ref',
  'branch',
  'path',
  'paths',
  'prefix',
  'after',
  'limit',
  'kind',
  'left',
  'right',
  'text',
  'base64',
  'message',
  'metadata',
  'offset',
  'length',
  'as',
  'into',
  'title',
  '__proto__',
  'delimiter',
];
const strings = [
  'repo',
  'secret',
  'main',
  'mine/a',
  'others/x',
  'x',
  'branches',
  'tags',
  '',
  'main~1',
  '@',
  '../x',
  '\u0000',
  'ä',
  '%',
  'a'.repeat(1200),
  'base64',
  '/',
  '__proto__',
];

test(`${requests} broken messages (SRV_TEST_SEED=${seed})`, async t => {
  const statuses = new Map<string, number>();
  let number = 0;
  const shoot = async (): Promise<void> => {
    const random = generator(seed + number++);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    const value = (): unknown =>
      pick<() => unknown>([
        () => pick(strings),
        () => pick(strings),
        () => pick([0, 1, -1, 1e21, 50, 1.5]),
        () => null,
        () => true,
        () => [pick(strings)],
        () => ({ [pick(strings)]: pick(strings) }),
      ])();
    const args: Record<string, unknown> = {
      repository: pick(['repo', 'repo', 'secret']),
      ...(random() < 0.5 ? { ref: 'main', path: pick(['others/x', 'x', 'mine/a']) } : {}),
    };
    for (let i = 0; i < 4; i++)
      if (random() < 0.5)
        Object.defineProperty(args, pick(names), { value: value(), enumerable: true, configurable: true, writable: true });
    const method = pick(methods);
    const uri = `srv://${pick(strings)}/${pick(strings)}/${pick(strings)}`;
    const params: Record<string, unknown> =
      random() < 0.9
        ? {
            name: pick(tools),
            arguments: args,
            uri,
            ref: { type: 'ref/resource', uri: 'x' },
            argument: { name: pick(names), value: value() },
            context: { arguments: args },
            ...(random() < 0.7
              ? { _meta: { ...(random() < 0.8 ? meta : {}), ...(random() < 0.4 ? { progressToken: value() } : {}) } }
              : {}),
            requestId: pick([1, 'a', null, {}]),
            cursor: value(),
          }
        : (value() as Record<string, unknown>);
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      ...limited,
      ...(random() < 0.5 ? { accept: 'application/json, text/event-stream' } : {}),
      ...(random() < 0.3 ? { 'mcp-session-id': pick(['a', 'b', '', '__proto__']) } : {}),
    };
    if (random() < 0.6)
      Object.assign(headers, {
        'mcp-protocol-version': pick(['2026-07-28', '2026-07-28', '2025-06-18', '2025-06-18', 'x']),
        'mcp-method': encodeURI(method),
        'mcp-name': encodeURI(String(method === 'resources/read' ? uri : (params?.['name'] ?? ''))),
      });
    const text = JSON.stringify({
      jsonrpc: '2.0',
      ...(random() < 0.9 ? { id: random() < 0.9 ? pick([1, 'a']) : pick([null, {}]) } : {}),
      method,
      params,
    });
    const body = random() < 0.05 ? text.slice(0, Math.floor(random() * text.length)) : text;
    const answer = await sendRaw(server.url, '/mcp', { method: 'POST', headers, body });
    const where = `message ${number - 1} of SRV_TEST_SEED=${seed}: ${JSON.stringify(headers)} ${body}`;
    assert.ok(answer.status < 500, `${answer.status} ${answer.body}, ${where}`);
    assert.doesNotMatch(answer.body, /TOP SECRET|VE9QIFNFQ1JFVA|"code":-32603/, where);
    const kind = `${answer.status} ${/"code":(-\d+)/.exec(answer.body)?.[1] ?? (answer.body.includes('"isError"') ? 'refused' : 'ok')}${answer.body.startsWith('event') ? ' in a stream' : ''}`;
    statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
  };
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (number < requests) await shoot();
    }),
  );
  t.diagnostic([...statuses].map(([name, count]) => `${name}: ${count}`).join(', '));
  const { engine } = server;
  assert.deepEqual((await engine.diffUncommitted('repo', 'main')).results, []);
  assert.deepEqual(
    (await engine.diffUncommitted('secret', 'main')).results.map(({ path }) => path),
    ['x'],
  );
  assert.ok(statuses.size > 6, [...statuses.keys()].join(', '));
});

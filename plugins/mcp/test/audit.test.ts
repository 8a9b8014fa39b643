/** What operators learn of agents: a line per request, and one per call of a tool. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchFolder, until } from '@srv/kernel/testing';
import { sendRaw } from '@srv/lib-api/testing';
import { addUser, authorization, legacy, modern, startMcp } from './support/server.js';

type Line = Readonly<Record<string, unknown>>;

test('every call of a tool has an audit line and a line about its subject, in both eras, with progress or refused', async t => {
  const file = join(scratchFolder(), 'log');
  const server = await startMcp(
    {
      'auth.ui_config.rbac': 'internal',
      'logging.level': 'INFO',
      'logging.audit_log_level': 'INFO',
      'logging.format': 'json',
      'logging.output': [file],
    },
    ['pulls', 'search'],
  );
  t.after(() => server.stop());
  const ann = await addUser(server, 'ann', [{ action: ['fs:*', 'pr:*'], resource: '*' }]);
  const lines = (): readonly Line[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line) as Line);
  const tools = (await modern(server, 'tools/list', {}, ann)).result['tools'] as readonly { readonly name: string }[];
  assert.ok(tools.length >= 13);
  const content = 'words that no log may have';
  const args = { repository: 'repo', ref: 'main', branch: 'main', path: 'data/a.txt', text: content, kind: 'branches', left: 'main' };
  const wanted: string[] = [];
  for (const { name } of tools) {
    // Unknown arguments are refused; the calls are noted all the same.
    for (const given of [args, { repository: 'repo' }]) {
      await modern(server, 'tools/call', { name, arguments: given }, ann);
      await legacy(server, 'tools/call', { name, arguments: given }, ann);
      wanted.push(name, name);
    }
  }
  await modern(server, 'tools/call', { name: 'no_such_tool', arguments: {} }, ann);
  const called = (): readonly Line[] => lines().filter(({ msg }) => msg === 'MCP tool called');
  const audited = (): readonly Line[] => lines().filter(line => String(line['operation_id']).startsWith('mcp tools/call'));
  await until(() => audited().length > wanted.length);
  assert.deepEqual(
    called().map(line => line['tool']),
    wanted,
  );
  assert.deepEqual(
    audited()
      .map(line => String(line['operation_id']))
      .toSorted(),
    [...wanted.map(name => `mcp tools/call ${name}`), 'mcp tools/call'].toSorted(),
  );
  for (const line of [...called(), ...audited()]) assert.equal(line['user'], 'ann', JSON.stringify(line));
  for (const line of audited()) assert.equal(line['service_name'], 'mcp');
  for (const line of called()) assert.equal(line['repository'], 'repo');
  const ids = new Set(audited().map(line => line['request_id']));
  assert.ok(
    called().every(line => ids.has(line['request_id'])),
    'both lines of a call have its request id',
  );
  assert.ok(!readFileSync(file, 'utf8').includes(content));
});

test('a call that is answered by a stream has its audit line, too', async t => {
  const file = join(scratchFolder(), 'log');
  const server = await startMcp({
    'logging.level': 'INFO',
    'logging.audit_log_level': 'INFO',
    'logging.format': 'json',
    'logging.output': [file],
  });
  t.after(() => server.stop());
  const answer = await sendRaw(server.url, '/mcp', {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_repositories', _meta: { progressToken: 1 } },
    }),
  });
  assert.match(answer.body, /notifications\/progress/);
  await until(() => readFileSync(file, 'utf8').includes('mcp tools/call list_repositories'));
});

/** Settings that change what agents may do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendRaw } from '@srv/lib-api/testing';
import { call, modern, startMcp } from './support/server.js';

test('with mcp.write none there are no tools that write', async () => {
  const server = await startMcp({ 'mcp.write': 'none' });
  try {
    assert.equal(((await modern(server, 'tools/list')).result['tools'] as unknown[]).length, 7);
    assert.equal((await modern(server, 'tools/call', { name: 'write_object', arguments: {} })).error?.code, -32602);
  } finally {
    await server.stop();
  }
});

test('with mcp.write any a user writes where they may, except on protected branches', async () => {
  const server = await startMcp({ 'mcp.write': 'any' }, []);
  try {
    server.kernel.hooks.guardBranch.tap('test', ({ branch, block }) => void (branch === 'guarded' && block()));
    await server.engine.createBranch('repo', 'guarded', 'main');
    const write = (branch: string) => call(server, 'write_object', { repository: 'repo', branch, path: 'x', text: 'x' });
    assert.equal((await write('main')).refusal, undefined);
    assert.match(String((await write('guarded')).refusal), /protected/);
    const propose = { repository: 'repo', branch: 'guarded', into: 'main', title: 'x' };
    assert.match(String((await call(server, 'propose_merge', propose)).refusal), /switched off/, 'without the plugin pulls');
  } finally {
    await server.stop();
  }
});

test('features.mcp false leaves the path to others', async () => {
  const server = await startMcp({ 'features.mcp': false });
  try {
    assert.equal((await sendRaw(server.url, '/mcp', { method: 'POST', body: '{}' })).status, 404);
  } finally {
    await server.stop();
  }
});

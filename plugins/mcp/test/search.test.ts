/** The tool that searches: with the plugin, without it, with and without rights. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, startMcp } from './support/server.js';

test('search finds objects by their metadata, in pages, and says what is wrong with a condition', async () => {
  const server = await startMcp({ 'search.repositories': { repo: 'main' }, 'search.period': '10h' }, ['search']);
  try {
    const { engine } = server;
    for (const [path, label] of [
      ['found/1.txt', 'cat'],
      ['found/2.txt', 'dog'],
      ['found/3.txt', 'cat'],
    ] as const)
      await engine.putObject('repo', 'main', path, Buffer.from(path), { metadata: { label } });
    const { id } = await engine.commit('repo', 'main', { committer: 'ann', message: 'labels' });
    const search = (more: object) => call(server, 'search', { repository: 'repo', ref: 'main', where: 'metadata.label = "cat"', ...more });
    const { data } = await search({ limit: 1 });
    const [found] = data['objects'] as { path: string; commit_id: string; metadata: object }[];
    assert.deepEqual([found?.path, found?.commit_id, found?.metadata], ['found/1.txt', id, { label: 'cat' }]);
    const rest = await search({ after: data['next'] });
    assert.deepEqual(
      (rest.data['objects'] as { path: string }[]).map(({ path }) => path),
      ['found/3.txt'],
    );
    assert.equal(rest.data['next'], undefined);
    assert.match(String((await search({ where: 'szie > 1' })).refusal), /did you mean size/);
    assert.match(String((await search({ repository: 'nowhere' })).refusal), /not found/);
  } finally {
    await server.stop();
  }
});

test('search without the plugin refuses', async () => {
  const server = await startMcp({}, []);
  try {
    const { refusal } = await call(server, 'search', { repository: 'repo', ref: 'main', where: '' });
    assert.match(String(refusal), /does not offer searchObjects: the plugin with it is switched off/);
  } finally {
    await server.stop();
  }
});

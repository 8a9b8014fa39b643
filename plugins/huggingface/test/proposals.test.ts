/** Pull requests by `create_pr`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SrvError } from '@srv/kernel';
import { sendRaw } from '@srv/lib-api/testing';
import { addUser, fileLine, json, line, startHub, token } from './support/server.js';
import type { TestContext } from 'node:test';
import type { HubServer } from './support/server.js';

const repo = 'arn:lakefs:fs:::repository/zoo';
const proposing = [
  { action: ['pr:WritePullRequest', 'fs:ListObjects', 'fs:ReadRepository'], resource: repo },
  { action: ['fs:CreateBranch', 'fs:CreateCommit'], resource: `${repo}/branch/hf-pr-*` },
  { action: ['fs:WriteObject', 'fs:ReadObject'], resource: `${repo}/object/*` },
];

async function open(t: TestContext, plugins: readonly string[] = ['pulls']): Promise<HubServer> {
  const server = await startHub({ 'auth.ui_config.rbac': 'internal' }, plugins);
  t.after(server.stop);
  await server.engine.createRepository({ id: 'zoo', storageNamespace: 'local://zoo' });
  return server;
}

const send = (server: HubServer, body: string, authorization: string) =>
  server.hub('POST', '/api/models/srv/zoo/commit/main?create_pr=1', { headers: { authorization }, body });
const branchesOf = async ({ engine }: HubServer): Promise<readonly string[]> =>
  (await engine.listBranches('zoo', {})).results.map(({ id }) => id);

test('a pull request is opened without the right to commit to its destination', async t => {
  const server = await open(t);
  server.kernel.hooks.guardBranch.tap('test', ({ branch, block }) => void (branch === 'main' && block()));
  const ann = await addUser(server, 'ann', proposing);
  const head = (await server.engine.getBranch('zoo', 'main')).commitId;
  const preupload = await server.hub('POST', '/api/models/srv/zoo/preupload/main?create_pr=1', {
    headers: { authorization: ann },
    body: JSON.stringify({ files: [{ path: 'a.txt', size: 1, sample: '' }] }),
  });
  assert.equal(preupload.status, 200, preupload.body);
  const granted = await server.hub('GET', '/api/models/srv/zoo/xet-write-token/None?create_pr=1', { headers: { authorization: ann } });
  assert.equal(granted.status, 200, 'as the Python client asks');
  const made = await send(server, line('header', { summary: 'Add a', description: 'It is\nbetter.' }) + fileLine('a.txt', 'a'), ann);
  assert.equal(made.status, 200, made.body);
  const url = String(json(made)['pullRequestUrl']);
  const number = /^http.*\/hf\/srv\/zoo\/discussions\/(\d+)$/.exec(url)?.[1];
  assert.ok(number, url);
  assert.equal((await server.engine.getBranch('zoo', 'main')).commitId, head);
  const refs = async (query: string): Promise<Readonly<Record<string, unknown>>> =>
    json(await server.hub('GET', `/api/models/srv/zoo/refs${query}`));
  const proposal = await server.engine.getBranch('zoo', `hf-pr-${number}`);
  const { branches: shown, pullRequests } = await refs('?include_prs=1');
  assert.deepEqual(pullRequests, [{ name: number, ref: `refs/pr/${number}`, targetCommit: proposal.commitId.slice(0, 40) }]);
  assert.deepEqual(
    (shown as { name: string }[]).map(({ name }) => name),
    ['main'],
  );
  assert.deepEqual((await refs(''))['pullRequests'], []);
  const basic = { authorization: `Basic ${Buffer.from(token).toString('base64')}` };
  const listed = json(await sendRaw(server.url, '/api/v1/repositories/zoo/pulls', { headers: basic }))['results'] as object[];
  assert.equal(listed.length, 1);
  const { id: _id, creation_date: _created, ...facts } = listed[0] as { id: string; creation_date: string };
  const branches = { source_branch: `hf-pr-${number}`, destination_branch: 'main' };
  assert.deepEqual(facts, { title: 'Add a', description: 'It is\nbetter.', author: 'ann', status: 'open', ...branches });
  const read = await server.hub('GET', `/srv/zoo/resolve/${encodeURIComponent(`refs/pr/${number}`)}/a.txt`, {
    headers: { authorization: ann },
  });
  assert.deepEqual([read.status, read.body], [200, 'a']);
  const more = await server.hub('POST', `/api/models/srv/zoo/commit/${encodeURIComponent(`refs/pr/${number}`)}`, {
    headers: { authorization: ann },
    body: line('header', { summary: 'More', description: '' }) + fileLine('b.txt', 'b'),
  });
  assert.equal(more.status, 200, more.body);
  assert.equal((await server.hub('POST', '/api/models/srv/zoo/commit/main', { headers: { authorization: ann }, body: '' })).status, 403);
});

test('a pull request that is refused leaves no branch', async t => {
  const server = await open(t);
  const ann = await addUser(server, 'ann', proposing);
  const header = line('header', { summary: 'x', description: '' });
  assert.equal((await send(server, `${header}${fileLine('../x', 'x')}`, ann)).status, 400);
  assert.equal((await send(server, `${header}${line('deletedFile', { path: 'x' })}`, ann)).status, 403);
  const bob = await addUser(server, 'bob', proposing.slice(1));
  assert.equal((await send(server, header + fileLine('a', 'a'), bob)).status, 403);
  assert.deepEqual(await branchesOf(server), ['main']);
});

interface PullRequests {
  create(...request: readonly unknown[]): Promise<unknown>;
  list(repository: string): Promise<{ readonly results: readonly { readonly source: string }[] }>;
}

test('the branch of a pull request that may exist stays', async t => {
  const server = await open(t);
  const pulls = server.kernel.services.get('pulls' as never) as PullRequests;
  const { create } = pulls;
  const { mock } = t.mock.method(pulls, 'create', async (...request: readonly unknown[]) => {
    await create(...request);
    throw new SrvError('unavailable', 'no answer to a write');
  });
  const lines = line('header', { summary: 'Add a', description: '' }) + fileLine('a.txt', 'a');
  assert.equal((await send(server, lines, `Bearer ${token}`)).status, 503);
  const [name = ''] = (await branchesOf(server)).filter(id => id !== 'main');
  assert.equal((await pulls.list('zoo')).results[0]?.source, name);
  const number = name.replace('hf-pr-', '');
  assert.equal((await server.hub('GET', `/srv/zoo/resolve/${encodeURIComponent(`refs/pr/${number}`)}/a.txt`)).body, 'a');
  mock.restore();
  t.mock.method(pulls, 'create', () => Promise.reject(new SrvError('invalid', 'not a title')));
  assert.equal((await send(server, lines, `Bearer ${token}`)).status, 400);
  assert.deepEqual(await branchesOf(server), [name, 'main']);
});

test('without the plugin pulls the answer says so, and no branch is left', async t => {
  const server = await open(t, []);
  const ann = await addUser(server, 'ann', proposing);
  const answer = await send(server, line('header', { summary: 'x', description: '' }) + fileLine('a', 'a'), ann);
  assert.deepEqual([answer.status, /createPullRequest/.test(answer.body)], [501, true]);
  assert.deepEqual(await branchesOf(server), ['main']);
});

/** What is stored: bytes that other servers of the same database read, and what remains when a repository goes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect } from '@srv/kernel/testing';
import { ProtoWriter, partitionOf } from '@srv/lib-records';
import { startSrv } from '@srv/test-servers';
import { decodePullRequest, encodePullRequest, encodeSecondaryIndex } from '../src/server/pull-request-record.js';
import type {} from '@srv/engine/contract';
import type { PullRequest } from '../src/contract.js';

const open: PullRequest = {
  id: 'coddo7tpocvs73ftd7u0',
  status: 'open',
  createdAt: new Date(1_700_000_000_123),
  title: 't',
  author: 'ann',
  description: '',
  source: 'dev',
  destination: 'main',
};
const byUser: PullRequest = { ...open, authorUsername: 'ann' };
const merged: PullRequest = {
  ...open,
  status: 'merged',
  description: 'why',
  commitId: 'c0ffee',
  closedAt: new Date(1_700_000_100_000),
};

test('records are the bytes they always were', () => {
  const vectors: readonly (readonly [PullRequest, string])[] = [
    [open, '0a14636f64646f3774706f63767337336674643775301a0b0880e2cfaa0610c0a9d33a2201742a03616e6e3a0364657642046d61696e'],
    [byUser, '0a14636f64646f3774706f63767337336674643775301a0b0880e2cfaa0610c0a9d33a2201742a03616e6e3a0364657642046d61696eaa0603616e6e'],
    [
      merged,
      '0a14636f64646f3774706f637673373366746437753010021a0b0880e2cfaa0610c0a9d33a2201742a03616e6e32037768793a0364657642046d61696e4a06633066666565520608e4e2cfaa06',
    ],
  ];
  for (const [pull, hex] of vectors) {
    assert.equal(encodePullRequest(pull).toString('hex'), hex);
    assert.deepEqual(decodePullRequest(Buffer.from(hex, 'hex')), pull);
  }
  assert.equal(
    encodeSecondaryIndex(Buffer.from(`pulls/${open.id}`)).toString('hex'),
    '0a1a70756c6c732f636f64646f3774706f6376733733667464377530',
  );
});

test('pull requests, comments and settings that are changed keep the fields of a newer release', async t => {
  const { kernel, stop } = await startSrv({ plugins: ['pulls'] });
  t.after(stop);
  const { services } = kernel;
  const [kv, engine, pulls] = [services.get('kv'), services.get('engine'), services.get('pulls')];
  const partition = partitionOf(await engine.createRepository({ id: 'lakes', storageNamespace: 'local://lakes' }));
  await engine.createBranch('lakes', 'dev', 'main');
  const { id } = await pulls.create('lakes', { title: 't', author: 'ann', source: 'dev', destination: 'main' });
  const author = { username: 'ann', committer: 'ann' };
  const comment = await pulls.comments.add('lakes', id, { author, body: 'one' });
  await pulls.settings.set('lakes', { deleteSourceOnMerge: true });
  const newer = new ProtoWriter().string(150, 'from a newer release').finish();
  const keys = [`pulls/${id}`, `pull-comments/${id}/${comment.id}`, 'settings/pull_request'];
  for (const key of keys) {
    const found = await kv.get(partition, Buffer.from(key));
    assert.ok(found, key);
    await kv.set(partition, Buffer.from(key), Buffer.concat([found.value, newer]));
  }
  await pulls.update('lakes', id, { title: 'another' });
  await pulls.comments.update('lakes', id, comment.id, { by: author, body: 'two' });
  await pulls.settings.set('lakes', { deleteSourceOnMerge: false });
  for (const key of keys) assert.ok((await kv.get(partition, Buffer.from(key)))?.value.includes(newer), key);
});

test('keys are those of the format, an operator sees the records, and they go with their repository', async t => {
  const { kernel, stop } = await startSrv({ plugins: ['pulls'] });
  t.after(stop);
  const { hooks, services } = kernel;
  const [kv, engine, pulls] = [services.get('kv'), services.get('engine'), services.get('pulls')];
  const made = await Promise.all(['lakes', 'ponds'].map(id => engine.createRepository({ id, storageNamespace: `local://${id}` })));
  for (const { id } of made) {
    await engine.createBranch(id, 'dev', 'main');
    await pulls.create(id, { title: 't', author: 'ann', source: 'dev', destination: 'main' });
  }
  const [lakes = '', ponds = ''] = made.map(partitionOf);
  const keysOf = async (partition: string) => (await collect(kv.scan(partition))).map(({ key }) => key.toString());
  assert.deepEqual((await keysOf('pulls')).sort(), [`repos/${lakes}/dev/main`, `repos/${ponds}/dev/main`].sort());
  const [{ id } = open] = (await pulls.list('lakes')).results;
  const record = (await collect(kv.scan(lakes))).find(({ key }) => key.toString() === `pulls/${id}`);
  assert.ok(record);
  assert.deepEqual(hooks.describeRecord.call(lakes, record), await pulls.get('lakes', id));
  const by = { username: 'bob', committer: 'bob@example.com' };
  const comment = await pulls.comments.add('lakes', id, { author: by, body: 'why?', path: 'a/b', line: 7 });
  const reply = await pulls.comments.add('lakes', id, { author: by, body: 'so', parent: comment.id });
  await pulls.comments.update('lakes', id, comment.id, { by, resolved: true });
  const approval = await pulls.approvals.approve('lakes', id, { by, sourceIp: '192.0.2.7' });
  await pulls.reviewers.request('lakes', id, 'admin', by);
  const [reviewer] = await pulls.reviewers.list('lakes', id);
  const settings = { deleteSourceOnMerge: true, rules: [{ pattern: 'ma*', approvals: 2 }] };
  await pulls.settings.set('lakes', settings);
  const records = new Map((await collect(kv.scan(lakes))).map(record => [record.key.toString(), hooks.describeRecord.call(lakes, record)]));
  const top = await pulls.comments.get('lakes', id, comment.id);
  assert.deepEqual([top.resolvedBy, top.path, top.line], [by, 'a/b', 7]);
  assert.deepEqual(records.get(`pull-comments/${id}/${comment.id}`), top);
  assert.deepEqual(records.get(`pull-comments/${id}/${reply.id}`), reply);
  assert.deepEqual(records.get(`pull-approvals/main/${approval.commitId}/${id}/bob`), approval);
  assert.deepEqual(records.get(`pull-reviewers/${id}/admin`), reviewer);
  assert.deepEqual(records.get('settings/pull_request'), settings);
  const partitions: string[] = [];
  await hooks.partitions.promise(kv, partition => void partitions.push(partition));
  assert.ok(partitions.includes('pulls'));

  await engine.deleteRepository('lakes');
  assert.deepEqual(await keysOf('pulls'), [`repos/${ponds}/dev/main`]);
  assert.deepEqual(await keysOf(lakes), []);
});

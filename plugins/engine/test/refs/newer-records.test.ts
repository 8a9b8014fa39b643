/** Records of a repository with fields of a newer release, changed by this one: the fields stay. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryKvStore } from '@srv/kernel/testing';
import { ProtoWriter, partitionOf } from '@srv/lib-records';
import { instance, newRepository } from './fixture.js';
import { MemoryCommitted } from './memory-committed.js';
import type { SrvError } from '@srv/kernel';

const newer = new ProtoWriter().string(150, 'from a newer release').finish();

test('repositories, their metadata and their branches keep them', async t => {
  const kv = new MemoryKvStore();
  const { service, hooks, stop } = instance(kv, new MemoryCommitted());
  t.after(stop);
  const repository = await service.addRepository(newRepository());
  const own = partitionOf(repository);
  await service.updateRepositoryMetadata(repository, () => ({ a: '1' }));
  const records = [
    ['graveler', 'repos/repo'],
    [own, 'repo-metadata'],
    [own, 'branches/main'],
  ] as const;
  for (const [partition, key] of records) {
    const found = await kv.get(partition, Buffer.from(key));
    assert.ok(found, key);
    await kv.set(partition, Buffer.from(key), Buffer.concat([found.value, newer]));
  }
  const kept = async (): Promise<string[]> => {
    const keys: string[] = [];
    for (const [partition, key] of records) if ((await kv.get(partition, Buffer.from(key)))?.value.includes(newer)) keys.push(key);
    return keys;
  };
  const all = records.map(([, key]) => key);
  await service.updateRepositoryMetadata(repository, () => ({ b: '2' }));
  await service.storageFreeze.freeze(repository, 'move');
  const moved = await service.storageFreeze.relocateRepository(repository, 'move', { storageId: '', storageNamespace: 'mem://bucket/new' });
  await service.storageFreeze.unfreeze(moved, 'move');
  assert.deepEqual(await kept(), all);
  assert.deepEqual(Object.entries(await service.getRepositoryMetadata(repository)), [['b', '2']]);
  // A deletion that stops halfway leaves its mark.
  hooks.repositoryDeleted.tapPromise('test', () => Promise.reject(new Error('not today')));
  await assert.rejects(service.deleteRepository('repo'), /not today/);
  await assert.rejects(service.getRepository('repo'), (error: SrvError) => error.code === 'gone');
  assert.deepEqual(await kept(), all);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryKvStore } from '@srv/kernel/testing';
import { createTestMetrics } from '@srv/metrics/testing';
import { instance, newRepository } from './fixture.js';
import { MemoryCommitted } from './memory-committed.js';
import type { Condition } from '@srv/kernel';

test('an update that another one wins against is counted and tried again', async () => {
  class Contested extends MemoryKvStore {
    losses = 0;

    override async setIf(partition: string, key: Buffer, value: Buffer, condition: Condition): Promise<boolean> {
      if (this.losses === 0) return super.setIf(partition, key, value, condition);
      this.losses--;
      return false;
    }
  }
  const { metrics, scrape } = createTestMetrics();
  const kv = new Contested();
  const { service, stop } = instance(kv, new MemoryCommitted(), { metrics });
  const repository = await service.addRepository(newRepository());
  const retries = async (operation: string) => (await scrape()).value('graveler_kv_retries', { operation });
  assert.equal((await scrape()).value('graveler_kv_retries'), 0);
  kv.losses = 2;
  await service.updateRepositoryMetadata(repository, () => ({ a: '1' }));
  assert.equal(await retries('update_repository_metadata'), 2);
  kv.losses = 1;
  await service.set(
    repository,
    'main',
    Buffer.from('k'),
    { identity: Buffer.from('i'), data: Buffer.from('d') },
    { condition: () => true },
  );
  assert.equal(await retries('stage_entry'), 1);
  assert.equal((await scrape()).value('graveler_kv_retries'), 3);
  await stop();
});

test('a write follows the branch through commits that come one after another', async () => {
  class CommittedUnder extends MemoryKvStore {
    commits = 0;

    override async set(partition: string, key: Buffer, bytes: Buffer): Promise<void> {
      if (key.equals(path) && this.commits > 0) {
        this.commits--;
        await service.set(repository, 'main', Buffer.from('other'), { ...value, identity: Buffer.from([this.commits]) });
        await service.commit(repository, 'main', { committer: 'ann', message: 'meanwhile' });
      }
      await super.set(partition, key, bytes);
    }
  }
  const path = Buffer.from('k');
  const value = { identity: Buffer.from('i'), data: Buffer.from('d') };
  const kv = new CommittedUnder();
  const { service, stop } = instance(kv, new MemoryCommitted());
  const repository = await service.addRepository(newRepository());
  kv.commits = 9;
  await service.set(repository, 'main', path, value);
  assert.deepEqual((await service.get(repository, 'main', path))?.identity, value.identity);
  kv.commits = 10;
  await assert.rejects(service.set(repository, 'main', path, value), { code: 'too_many_tries' });
  await stop();
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MemoryKvStore } from '@srv/kernel/testing';
import { MovingHeads } from '../../src/refs/moving-heads.js';
import { instance, key, newRepository, storeOfPeers, value } from './fixture.js';
import { MemoryCommitted } from './memory-committed.js';
import type { KvStore } from '@srv/kernel';

const forever = 1_000_000;

/** A promise, and what resolves it. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>(resolve => (open = resolve));
  return { opened, open: () => open() };
}

describe('a head that is about to move', () => {
  it('is waited for by writes that rely on it, and by no others', async () => {
    const heads = new MovingHeads(forever);
    const [moving, events] = [gate(), [] as string[]];
    const move = heads.whileNoted('main', async keep => {
      await moving.opened;
      events.push(`moves: ${keep()}`);
    });
    const write = heads.relying('main', async () => events.push('relies'));
    await heads.relying('dev', async () => events.push('other'));
    moving.open();
    await Promise.all([move, write]);
    assert.deepEqual(events, ['other', 'moves: true', 'relies']);
  });

  it('is taken back when a write has waited too long', async () => {
    const heads = new MovingHeads(1);
    const moving = gate();
    const move = heads.whileNoted('main', async keep => {
      await moving.opened;
      return keep();
    });
    await heads.relying('main', async () => moving.open());
    assert.equal(await move, false);
  });

  it('is waited for without end once it moves', async () => {
    const heads = new MovingHeads(1);
    const [moving, events] = [gate(), [] as string[]];
    const move = heads.whileNoted('main', async keep => {
      assert.ok(keep());
      await moving.opened;
      events.push('moved');
    });
    const write = heads.relying('main', async () => events.push('relies'));
    setTimeout(moving.open, 20);
    await Promise.all([move, write]);
    assert.deepEqual(events, ['moved', 'relies']);
  });

  it('has to be written down while a write relies on it, and not after', async () => {
    const heads = new MovingHeads(forever);
    await heads.relying('main', async () => {
      assert.equal(await heads.whileNoted('main', async () => 1), undefined);
    });
    assert.equal(await heads.whileNoted('main', async () => 1), 1);
    await assert.rejects(
      heads.whileNoted('main', () => Promise.reject(new Error('refused'))),
      /refused/,
    );
    assert.equal(await heads.whileNoted('main', async () => 2), 2);
  });
});

describe('a merge into a branch without uncommitted rows', () => {
  /** Records that it writes. */
  async function written(kv: KvStore & Pick<MemoryKvStore, 'setIf'>): Promise<readonly string[]> {
    const { service, stop } = instance(kv, new MemoryCommitted());
    const repository = await service.addRepository(newRepository());
    await service.createBranch(repository, 'dev', 'main');
    await service.set(repository, 'dev', key('a'), value('a'));
    await service.commit(repository, 'dev', { committer: 'tester', message: 'message' });
    const keys: string[] = [];
    const setIf = kv.setIf.bind(kv);
    kv.setIf = (partition, at, ...more) => {
      keys.push(at.toString().replace(/[0-9a-f]{64}/, '<id>'));
      return setIf(partition, at, ...more);
    };
    await service.merge(repository, 'dev', 'main', { committer: 'tester' });
    await stop();
    return keys;
  }

  it('writes its commit and its branch, if no other program uses the database', async () => {
    assert.deepEqual(await written(new MemoryKvStore()), ['commits/<id>', 'branches/main']);
  });

  it('says in the branch that its head is about to move, if others may use it', async () => {
    assert.deepEqual(await written(storeOfPeers()), ['branches/main', 'commits/<id>', 'branches/main']);
  });
});

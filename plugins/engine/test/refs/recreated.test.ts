/** What is deleted and created again, or moves on, while a slower request with an older view of it waits. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { PinnedKv, contentsOf, instance, key, newRepository, storeOfPeers, value } from './fixture.js';
import { MemoryCommitted } from './memory-committed.js';
import type { TestContext } from 'node:test';
import type { KvStore } from '@srv/kernel';
import type { Repository } from '../../src/refs/contract.js';
import type { Refs } from '../../src/refs/service.js';
import type { Instance } from './fixture.js';

/** Two servers on one database. */
function servers<K extends KvStore>(t: TestContext, kv: K): { readonly slow: Instance; readonly fast: Instance; readonly kv: K } {
  const committed = new MemoryCommitted();
  const [slow, fast] = [instance(kv, committed), instance(kv, committed)];
  t.after(async () => {
    await slow.stop();
    await fast.stop();
  });
  return { slow, fast, kv };
}

async function commitOf(service: Refs, repository: Repository, path: string): Promise<string> {
  await service.set(repository, 'main', key(path), value(path));
  return (await service.commit(repository, 'main', { committer: 'tester', message: path })).id;
}

/** Work that waits at a point: `reached` once it is there, until `open` is called. */
function gate() {
  let [arrive, open] = [(): void => {}, (): void => {}];
  const reached = new Promise<void>(resolve => {
    arrive = resolve;
  });
  const opened = new Promise<void>(resolve => {
    open = resolve;
  });
  return {
    reached,
    open: () => open(),
    pass: () => {
      arrive();
      return opened;
    },
  };
}

describe('a name that was deleted and is used again', () => {
  it('of a repository: the new one survives the slower deletion of the last', async t => {
    const { slow, fast } = servers(t, storeOfPeers());
    await slow.service.addRepository(newRepository());
    const { reached, open, pass } = gate();
    slow.hooks.repositoryDeleted.tapPromise('test', pass);
    const first = slow.service.deleteRepository('repo');
    await reached;
    await fast.service.deleteRepository('repo');
    const again = await fast.service.addRepository(newRepository());
    await commitOf(fast.service, again, 'a');
    open();
    await first;
    for (const { service } of [slow, fast])
      assert.deepEqual(await contentsOf(service, await service.getRepository('repo'), 'main'), { a: 'a' });
  });

  it('of a repository: plugins keep their data of the new one', async t => {
    const { slow, fast, kv } = servers(t, storeOfPeers());
    await slow.service.addRepository(newRepository());
    const { reached, open, pass } = gate();
    const scan = kv.scan.bind(kv);
    let isFirst = true;
    t.mock.method(kv, 'scan', (...args: Parameters<typeof scan>) => {
      const pages = scan(...args);
      if (!isFirst) return pages;
      isFirst = false;
      return (async function* () {
        await pass();
        yield* pages;
      })();
    });
    const cleaned: string[] = [];
    slow.hooks.repositoryDeleted.tap('test', ({ id }) => void cleaned.push(id));
    const first = slow.service.deleteRepository('repo');
    await reached;
    await fast.service.deleteRepository('repo');
    await fast.service.addRepository(newRepository());
    open();
    await first;
    assert.deepEqual(cleaned, []);
  });

  it('of a branch: the new one survives the slower deletion of the last', async t => {
    const { slow, fast } = servers(t, storeOfPeers());
    const repository = await slow.service.addRepository(newRepository());
    await slow.service.createBranch(repository, 'dev', 'main');
    const { reached, open, pass } = gate();
    slow.hooks.event.for('pre-delete-branch').tapPromise('test', pass);
    const first = slow.service.deleteBranch(repository, 'dev');
    await reached;
    await fast.service.deleteBranch(repository, 'dev');
    await fast.service.createBranch(repository, 'dev', 'main');
    await fast.service.set(repository, 'dev', key('a'), value('a'));
    open();
    await assert.rejects(first, error => isSrvError(error, 'not_found') && /deleted and created again/.test(error.message));
    assert.deepEqual(await contentsOf(fast.service, repository, 'dev'), { a: 'a' });
  });

  it('of a tag: the new one survives the slower deletion of the last', async t => {
    const { slow, fast } = servers(t, storeOfPeers());
    const repository = await slow.service.addRepository(newRepository());
    await slow.service.createTag(repository, 'v1', 'main');
    const { reached, open, pass } = gate();
    slow.hooks.event.for('pre-delete-tag').tapPromise('test', pass);
    const first = slow.service.deleteTag(repository, 'v1');
    await reached;
    await fast.service.deleteTag(repository, 'v1');
    const id = await commitOf(fast.service, repository, 'a');
    await fast.service.createTag(repository, 'v1', id);
    open();
    await assert.rejects(first, error => isSrvError(error, 'conflict') && /created again/.test(error.message));
    assert.equal((await fast.service.getTag(repository, 'v1')).commitId, id);
  });
});

describe('a deletion of a branch', () => {
  it('is noted with the head that another server gave it at the last moment', async t => {
    const { slow, fast } = servers(t, storeOfPeers());
    const repository = await slow.service.addRepository(newRepository());
    await slow.service.createBranch(repository, 'dev', 'main');
    const { reached, open, pass } = gate();
    let isFirst = true;
    const confirm = async (): Promise<void> => {
      if (isFirst) await pass();
      isFirst = false;
    };
    const first = slow.service.deleteBranch(repository, 'dev', { confirm });
    await reached;
    await fast.service.set(repository, 'dev', key('a'), value('a'));
    const { id } = await fast.service.commit(repository, 'dev', { committer: 'tester', message: 'late' });
    open();
    await first;
    const restored = await fast.service.undeleteBranch(repository, 'dev');
    assert.equal(restored.commitId, id);
  });
});

describe('a hard reset', () => {
  it('goes back from the head that it finds when it is its turn', async t => {
    const { slow } = servers(t, storeOfPeers());
    const { service, hooks } = slow;
    const repository = await service.addRepository(newRepository());
    await commitOf(service, repository, 'a');
    const second = await commitOf(service, repository, 'b');
    const { reached, open, pass } = gate();
    hooks.event.for('pre-commit').tapPromise('test', pass);
    const commit = commitOf(service, repository, 'c');
    await reached;
    const reset = service.hardResetBranch(repository, 'main', 'main~1');
    open();
    await commit;
    await reset;
    assert.equal((await service.getBranch(repository, 'main')).commitId, second);
  });

  it('goes back from the head that another server has just given it', async t => {
    const { slow, fast, kv } = servers(t, new PinnedKv());
    const repository = await slow.service.addRepository(newRepository());
    await commitOf(slow.service, repository, 'a');
    const second = await commitOf(slow.service, repository, 'b');
    const { reached, open, pass } = gate();
    // The reset pins its target once it knows it.
    kv.onPin = pass;
    const reset = slow.service.hardResetBranch(repository, 'main', 'main~1');
    await reached;
    kv.onPin = async () => {};
    await commitOf(fast.service, repository, 'c');
    open();
    await reset;
    assert.equal((await fast.service.getBranch(repository, 'main')).commitId, second);
  });
});

describe('a commit of a given metarange', () => {
  it('is made on a branch whose rows change nothing', async t => {
    const { slow } = servers(t, storeOfPeers());
    const { service } = slow;
    const repository = await service.addRepository(newRepository());
    await commitOf(service, repository, 'a');
    const { metarangeId: sourceMetarange } = await service.getCommit(repository, 'main~1');
    await service.set(repository, 'main', key('a'), value('a'));
    await service.set(repository, 'main', key('b'), value('b'));
    await service.delete(repository, 'main', [key('b')]);
    await service.commit(repository, 'main', { committer: 'tester', message: 'given', sourceMetarange, allowEmpty: true });
    assert.deepEqual(await contentsOf(service, repository, 'main'), {});
  });
});

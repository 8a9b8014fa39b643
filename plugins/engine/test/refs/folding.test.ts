/** Uncommitted rows folded into a metarange: the branch shows, commits and forgets what it would have without. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { MemoryKvStore, runCount, seededRandom } from '@srv/kernel/testing';
import { foldedRows, unfoldedTokens } from '../../src/refs/folded-rows.js';
import { collect, contentsOf, instance, key, newRepository, value } from './fixture.js';
import { ErraticKv } from './hostile-kv.js';
import { MemoryCommitted } from './memory-committed.js';
import type { TestContext } from 'node:test';
import type { Repository } from '../../src/refs/contract.js';
import type { Refs } from '../../src/refs/service.js';

interface Opened {
  readonly kv: MemoryKvStore;
  readonly service: Refs;
  readonly repository: Repository;
}

async function open(t: TestContext, foldAfter = 0): Promise<Opened> {
  const kv = new MemoryKvStore();
  const { service, stop } = instance(kv, new MemoryCommitted(), { foldAfter });
  t.after(stop);
  return { kv, service, repository: await service.addRepository(newRepository()) };
}

const author = { committer: 'tester', message: 'message' };

const put = (service: Refs, repository: Repository, path: string, text = path): Promise<void> =>
  service.set(repository, 'main', key(path), value(text));
const remove = (service: Refs, repository: Repository, path: string): Promise<void> => service.delete(repository, 'main', [key(path)]);

/** `a` to `c` committed; then `a` changed, `b` deleted, `d` added. */
async function changed({ service, repository }: Opened): Promise<void> {
  for (const path of ['a', 'b', 'c']) await put(service, repository, path);
  await service.commit(repository, 'main', author);
  await put(service, repository, 'a', 'a2');
  await remove(service, repository, 'b');
  await put(service, repository, 'd');
}

const shownThen = { a: 'a2', c: 'c', d: 'd' };

/** Empties the sealed partitions, though the branch names them: what is read from them now is gone. */
async function emptySealed({ kv, service, repository }: Opened): Promise<void> {
  for (const token of (await service.getBranch(repository, 'main')).sealedTokens)
    for await (const page of kv.scan(token)) for (const row of page) await kv.delete(token, row.key);
}

/** One client writes, deletes and resets, and looks each time at what the branch shows. */
async function writeDuringCompactions(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const [kv, tables] = [new MemoryKvStore(), new MemoryCommitted()];
  const calm = instance(kv, tables);
  const repository = await calm.service.addRepository(newRepository());
  await put(calm.service, repository, 'a', 'committed');
  await calm.service.commit(repository, 'main', author);
  await calm.stop();
  const { service, stop } = instance(new ErraticKv(kv, () => random.below(1e6) / 1e6), tables);
  let isOver = false;
  const compacting = (async () => {
    while (!isOver) await service.compactBranch(repository, 'main');
  })();
  const shown: Record<string, string> = { a: 'committed' };
  try {
    for (let step = 0; step < 10; step++) {
      const path = random.choose(['a', 'ab', 'b']);
      const kind = random.choose(['put', 'put', 'remove', 'object', 'prefix'] as const);
      if (kind === 'put') await put(service, repository, path, `${step}`);
      else if (kind === 'remove') await remove(service, repository, path);
      else await service.resetBranch(repository, 'main', kind === 'object' ? { type: kind, path } : { type: kind, prefix: path });
      const concerned = kind === 'prefix' && path === 'a' ? ['a', 'ab'] : [path];
      for (const name of concerned) delete shown[name];
      if (kind === 'put') shown[path] = `${step}`;
      else if (kind !== 'remove' && concerned.includes('a')) shown['a'] = 'committed';
      assert.deepEqual(await contentsOf(service, repository, 'main'), shown, `SRV_TEST_SEED=${seed}, step ${step}: ${kind} ${path}`);
    }
  } finally {
    isOver = true;
    await compacting;
    await stop();
  }
}

describe('a compacted branch', () => {
  it('is read from the metarange, whatever its older partitions hold', async t => {
    const opened = await open(t);
    const { service, repository } = opened;
    await changed(opened);
    assert.equal(await service.branchCompaction(repository, 'main'), undefined);
    await service.compactBranch(repository, 'main');
    const folded = await service.branchCompaction(repository, 'main');
    assert.match(folded?.metarangeId ?? '', /^[0-9a-f]{64}$/);
    await emptySealed(opened);
    assert.deepEqual(await contentsOf(service, repository, 'main'), shownThen);
    assert.equal((await service.get(repository, 'main', key('a')))?.identity.toString(), 'a2');
    assert.equal(await service.get(repository, 'main', key('b')), undefined);
    const { metarangeId, uncommitted } = await service.committedPart(repository, 'main', Buffer.alloc(0));
    assert.deepEqual([metarangeId, uncommitted], [folded?.metarangeId, undefined]);
    assert.deepEqual(await contentsOf(service, repository, 'main@'), { a: 'a', b: 'b', c: 'c' });
  });

  it('still says what is uncommitted, and commits it', async t => {
    const opened = await open(t);
    const { service, repository } = opened;
    await changed(opened);
    await service.compactBranch(repository, 'main');
    const differences = await collect(service.uncommittedRecords(repository, 'main'));
    assert.deepEqual(
      differences.map(({ type, key: path }) => `${type} ${path.toString()}`),
      ['changed a', 'removed b', 'added d'],
    );
    await service.commit(repository, 'main', author);
    assert.equal(await service.branchCompaction(repository, 'main'), undefined);
    assert.deepEqual(await contentsOf(service, repository, 'main@'), shownThen);
    assert.deepEqual(await collect(service.uncommittedRecords(repository, 'main')), []);
  });

  it('takes writes, deletions and conditions over what was folded', async t => {
    const opened = await open(t);
    const { service, repository } = opened;
    await changed(opened);
    await service.compactBranch(repository, 'main');
    const ifAbsent = { condition: (current: unknown) => current === undefined };
    await service.set(repository, 'main', key('b'), value('b3'), ifAbsent);
    await assert.rejects(service.set(repository, 'main', key('d'), value('d3'), ifAbsent), error =>
      isSrvError(error, 'precondition_failed'),
    );
    await remove(service, repository, 'd');
    await remove(service, repository, 'a');
    assert.deepEqual(await contentsOf(service, repository, 'main'), { b: 'b3', c: 'c' });
    await service.compactBranch(repository, 'main');
    assert.deepEqual(await contentsOf(service, repository, 'main'), { b: 'b3', c: 'c' });
    await service.resetBranch(repository, 'main', { type: 'object', path: 'a' });
    assert.deepEqual(await contentsOf(service, repository, 'main'), { a: 'a', b: 'b3', c: 'c' });
    await service.resetBranch(repository, 'main', { type: 'all' });
    assert.deepEqual(await contentsOf(service, repository, 'main'), { a: 'a', b: 'b', c: 'c' });
    assert.equal(await service.branchCompaction(repository, 'main'), undefined);
  });

  it('shows what is committed after a reset whose first try reached a partition that had just been folded', async t => {
    for (const scope of [
      { type: 'prefix', prefix: '' } as const,
      { type: 'prefix', prefix: 'd' } as const,
      { type: 'object', path: 'd' } as const,
    ]) {
      const opened = await open(t);
      const { kv, service, repository } = opened;
      await changed(opened);
      const setIf = kv.setIf.bind(kv);
      let isFirst = true;
      t.mock.method(kv, 'setIf', async (...args: Parameters<typeof setIf>) => {
        if (isFirst && args[1].equals(key('d'))) {
          isFirst = false;
          await service.compactBranch(repository, 'main');
        }
        return setIf(...args);
      });
      await service.resetBranch(repository, 'main', scope);
      assert.equal(isFirst, false);
      const expected = scope.type === 'prefix' && scope.prefix === '' ? { a: 'a', b: 'b', c: 'c' } : { a: 'a2', c: 'c' };
      assert.deepEqual(await contentsOf(service, repository, 'main'), expected);
      await service.commit(repository, 'main', { ...author, allowEmpty: true });
      assert.deepEqual(await contentsOf(service, repository, 'main@'), expected);
    }
  });

  it('shows what was written and reset last, however compactions fall between', async () => {
    const first = Number(process.env['SRV_TEST_SEED'] ?? Date.now() % 1_000_000);
    for (let seed = first; seed < first + runCount(60, 400); seed++) await writeDuringCompactions(seed);
  });

  it('has nothing to commit when what was folded comes to nothing', async t => {
    const opened = await open(t);
    const { service, repository } = opened;
    await changed(opened);
    await service.compactBranch(repository, 'main');
    await put(service, repository, 'a');
    await put(service, repository, 'b');
    await remove(service, repository, 'd');
    await service.compactBranch(repository, 'main');
    await assert.rejects(service.commit(repository, 'main', author), error => isSrvError(error, 'no_changes'));
    assert.deepEqual(await contentsOf(service, repository, 'main'), { a: 'a', b: 'b', c: 'c' });
  });

  it('keeps few partitions however often it is compacted', async t => {
    const { service, repository } = await open(t);
    for (let i = 0; i < 150; i++) {
      await put(service, repository, `key-${i % 40}`, `${i}`);
      await service.compactBranch(repository, 'main');
    }
    const { sealedTokens } = await service.getBranch(repository, 'main');
    assert.ok(sealedTokens.length <= 65, `${sealedTokens.length} partitions`);
    const expected = Object.fromEntries(Array.from({ length: 40 }, (_, k) => [`key-${k}`, `${k + (k < 30 ? 120 : 80)}`]));
    assert.deepEqual(await contentsOf(service, repository, 'main'), expected);
    await service.commit(repository, 'main', author);
    assert.deepEqual(await contentsOf(service, repository, 'main@'), expected);
  });

  it('counts as compacted only with the head and the partitions that were folded', () => {
    const folded = { token: 't2', commitId: 'c1', metarangeId: 'm' };
    const branch = { commitId: 'c1', sealedTokens: ['t3', 't2', 't1'], folded };
    assert.equal(foldedRows(branch), folded);
    assert.deepEqual(unfoldedTokens(branch), ['t3']);
    for (const other of [{ commitId: 'c2' }, { sealedTokens: ['t3', 't1'] }, { sealedTokens: [] }]) {
      const moved = { ...branch, ...other };
      assert.equal(foldedRows(moved), undefined);
      assert.deepEqual(unfoldedTokens(moved), moved.sealedTokens);
    }
  });

  it('is made by a read that steps over many rows', async t => {
    const { service, repository } = await open(t, 20);
    for (let i = 0; i < 19; i++) await put(service, repository, `key-${i}`);
    await contentsOf(service, repository, 'main');
    await put(service, repository, 'another');
    assert.equal(await service.branchCompaction(repository, 'main'), undefined);
    await contentsOf(service, repository, 'main');
    // Joins the one that the read began.
    await service.compactBranch(repository, 'main');
    assert.ok(await service.branchCompaction(repository, 'main'));
    assert.equal(Object.keys(await contentsOf(service, repository, 'main')).length, 20);
  });

  it('equals one that never was, in random histories', async t => {
    const random = seededRandom();
    const [plain, compacted] = [await open(t), await open(t)];
    for (let step = 0; step < 400; step++) {
      const [path, text] = [`k${random.below(12)}`, `${step}`];
      const roll = random.below(100);
      for (const { service, repository } of [plain, compacted]) {
        if (roll < 45) await put(service, repository, path, text);
        else if (roll < 70) await remove(service, repository, path);
        else if (roll < 74) await service.delete(repository, 'main', [key(path)], { noTombstone: true });
        else if (roll < 78) await service.resetBranch(repository, 'main', { type: 'object', path });
        else if (roll < 80) await service.resetBranch(repository, 'main', { type: 'prefix', prefix: path.slice(0, 2) });
        else if (roll < 84)
          await service.commit(repository, 'main', author).catch((error: unknown) => assert.ok(isSrvError(error, 'no_changes')));
        else if (roll < 86 && (await service.log(repository, 'main')).results.length > 1)
          await service
            .revert(repository, 'main', { ref: 'main', committer: 'r' })
            .catch((error: unknown) => assert.ok(isSrvError(error, 'dirty_branch', 'conflict', 'no_changes')));
        else if (service === compacted.service) await service.compactBranch(repository, 'main');
      }
      for (const ref of ['main', 'main@'])
        assert.deepEqual(
          await contentsOf(compacted.service, compacted.repository, ref),
          await contentsOf(plain.service, plain.repository, ref),
          `step ${step} of seed ${random.seed}: ${ref}`,
        );
      const differences = async ({ service, repository }: Opened) =>
        (await collect(service.uncommittedRecords(repository, 'main'))).map(({ type, key: path }) => `${type} ${path.toString()}`);
      assert.deepEqual(await differences(compacted), await differences(plain), `step ${step} of seed ${random.seed}`);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { MemoryKvStore, runCount, seededRandom } from '@srv/kernel/testing';
import { instance, key, newRepository, storeOfPeers } from './fixture.js';
import { ErraticKv } from './hostile-kv.js';
import { MemoryCommitted } from './memory-committed.js';
import type { KvStore } from '@srv/kernel';
import type { Repository, StoredValue } from '../../src/refs/contract.js';
import type { Refs } from '../../src/refs/service.js';
import type { Instance } from './fixture.js';

const committer = { committer: 'tester', message: 'message' };
const path = key('list');
const schedules = runCount(60, 300);

const listOf = (value: StoredValue | undefined): string[] => value?.data.toString().split(' ').filter(Boolean) ?? [];
const stored = (list: readonly string[]): StoredValue => ({
  identity: Buffer.from(`id ${list.join(' ')}`),
  data: Buffer.from(list.join(' ')),
});

// A write that was refused after its branch had moved may have been taken up by another one before.

/** Adds to the list as it is read, if it is still so when it is written. @returns whether it was acknowledged. */
async function append(refs: Refs, repository: Repository, branch: string, item: string): Promise<boolean> {
  const before = await refs.get(repository, branch, path);
  const condition = (current: StoredValue | undefined): boolean =>
    before === undefined ? current === undefined : current?.identity.equals(before.identity) === true;
  try {
    await refs.set(repository, branch, path, stored([...listOf(before), item]), { condition });
    return true;
  } catch (error) {
    if (!isSrvError(error, 'precondition_failed', 'too_many_tries')) throw error;
    return false;
  }
}

async function appendByUpdate(refs: Refs, repository: Repository, branch: string, item: string): Promise<boolean> {
  try {
    await refs.update(repository, branch, path, current => stored([...new Set([...listOf(current), item])]));
    return true;
  } catch (error) {
    if (!isSrvError(error, 'too_many_tries')) throw error;
    return false;
  }
}

/** Merges into a branch while others append to a list on it. */
async function mergeBeside(storeOf: () => KvStore): Promise<void> {
  const random = seededRandom();
  const seen = { merged: 0, refused: 0, appended: 0 };
  for (let schedule = 0; schedule < schedules; schedule++) {
    const [kv, committed] = [storeOf(), new MemoryCommitted()];
    const server = (): Instance => instance(new ErraticKv(kv, () => random.below(1_000_000) / 1_000_000), committed);
    const first = server();
    const second = kv.isShared ? server() : first;
    const [one, two] = [first.service, second.service];
    const calm = instance(kv, committed);
    const repository = await calm.service.addRepository(newRepository());
    await calm.service.set(repository, 'main', path, stored(['first']));
    await calm.service.commit(repository, 'main', committer);
    await calm.service.createBranch(repository, 'dev', 'main');
    await calm.service.set(repository, 'dev', path, stored(['first', 'merged']));
    await calm.service.commit(repository, 'dev', committer);
    const way = random.choose([append, appendByUpdate]);
    const merge = one.merge(repository, 'dev', 'main', committer).then(
      () => true,
      (error: unknown) => {
        if (!isSrvError(error, 'dirty_branch', 'conflict', 'too_many_tries')) throw error;
        return false;
      },
    );
    const appends = [one, two, two].map((refs, n) => way(refs, repository, 'main', `append-${n}`));
    const [isMerged, ...areAppended] = await Promise.all([merge, ...appends]);
    const shown = listOf(await calm.service.get(repository, 'main', path));
    const acknowledged = ['first', ...areAppended.flatMap((done, n) => (done ? [`append-${n}`] : []))];
    const where = `schedule ${schedule}, seed ${random.seed}: ${shown.join(' ')}`;
    assert.deepEqual([shown.includes('merged'), new Set(shown).size], [isMerged, shown.length], where);
    for (const item of acknowledged) assert.ok(shown.includes(item), `${item} is missing, ${where}`);
    seen[isMerged ? 'merged' : 'refused']++;
    seen.appended += areAppended.filter(Boolean).length;
    for (const running of new Set([calm, first, second])) await running.stop();
  }
  assert.ok(seen.merged > 0 && seen.refused > 0 && seen.appended > 0, `too few cases: ${JSON.stringify(seen)}`);
}

describe('writes that rely on what a branch shows, beside merges into it', { concurrency: true }, () => {
  it(`hide nothing that a merge brought, over two servers (${schedules} schedules)`, () => mergeBeside(storeOfPeers));

  it(`hide nothing that a merge brought, over one server (${schedules} schedules)`, () => mergeBeside(() => new MemoryKvStore()));

  it('do not wait for a merge that was refused', async () => {
    const server = instance(new MemoryKvStore(), new MemoryCommitted());
    const refs = server.service;
    const repository = await refs.addRepository(newRepository());
    await refs.createBranch(repository, 'dev', 'main');
    for (const branch of ['main', 'dev']) {
      await refs.set(repository, branch, path, stored([branch]));
      await refs.commit(repository, branch, committer);
    }
    await assert.rejects(refs.merge(repository, 'dev', 'main', committer), (error: unknown) => isSrvError(error, 'conflict'));
    const { headMove, sealedTokens } = await refs.getBranch(repository, 'main');
    assert.deepEqual([headMove, sealedTokens], [undefined, []]);
    assert.ok(await append(refs, repository, 'main', 'x'));
    await server.stop();
  });
});

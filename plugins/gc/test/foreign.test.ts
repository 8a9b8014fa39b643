/** Objects that only another repository shows: they stay whatever happens to it while it is read. And the lists of what others show. */
import assert from 'node:assert/strict';
import { cp, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { identifierType } from '@srv/lib-stores/block';
import { PagedKv, addRepository, ageless, collect, daysAgo, exists, gatherStaged, openEngine, putText } from './fixture.js';
import type { TestContext } from 'node:test';
import type { OpenEngine } from './fixture.js';

/** More rows than a page of the database has. */
const fillers = 150;

interface Shared extends OpenEngine {
  readonly database: PagedKv;
  /** Address of an object of `owner` that only `reader` shows, at `z/x`, after many others. */
  readonly address: string;
  /** Where the uncommitted rows of `reader` are. */
  readonly staging: string;
}

async function open(t: TestContext): Promise<Shared> {
  const database = new PagedKv();
  const engine = await openEngine({ config: ageless, kv: database });
  t.after(() => engine.stop());
  const [owner, reader] = [await addRepository(engine, 'owner'), await addRepository(engine, 'reader')];
  const address = await putText(engine, owner, 'main', 'x');
  for (let i = 0; i < fillers; i++) await putText(engine, reader, 'main', `m/${i}`);
  const source = { repository: owner, ref: 'main', path: 'x' };
  await engine.catalog.copyObject(reader, source, { branch: 'main', path: 'z/x' }, { shallow: true });
  await engine.catalog.resetBranch(owner, 'main', { type: 'all' });
  const { stagingToken } = await engine.catalog.getBranch(reader, 'main');
  return { ...engine, database, address, staging: stagingToken };
}

describe('a shallow copy in another repository', () => {
  it('stays when it is moved past the walk', async t => {
    const engine = await open(t);
    engine.database.afterPage(engine.staging, async () => {
      await engine.catalog.copyPrefix('reader', 'main', { from: 'z/', to: 'a/', move: true });
    });
    const run = await collect(engine.gc, 'owner');
    assert.deepEqual([run.phase, engine.database.isWaiting], ['done', false]);
    assert.equal((await engine.catalog.getEntry('reader', 'main', 'a/x')).addressType, identifierType.full);
    assert.equal(await exists(engine, 'owner', engine.address), true);
  });

  it('stays when its row is gathered with others in a new partition', async t => {
    const engine = await open(t);
    engine.database.afterPage(engine.staging, () => gatherStaged(engine, 'reader', 'main'));
    const run = await collect(engine.gc, 'owner');
    assert.deepEqual([run.phase, engine.database.isWaiting], ['done', false]);
    assert.equal(await exists(engine, 'owner', engine.address), true);
  });

  it('stays when the address is staged elsewhere after the walk', async t => {
    const engine = await open(t);
    const reader = await engine.catalog.getRepository('reader');
    const facts = { address: `mem://bucket/owner/${engine.address}`, addressType: identifierType.full, size: 1, etag: 'e' };
    await engine.catalog.deleteObject('reader', 'main', 'z/x');
    engine.database.afterPage(engine.staging, async () => void (await engine.catalog.stageEntry(reader, 'main', 'a/x', facts)));
    await collect(engine.gc, 'owner');
    assert.equal(engine.database.isWaiting, false);
    assert.equal(await exists(engine, 'owner', engine.address), true);
  });

  it('is garbage of its owner once neither shows it', async t => {
    const engine = await open(t);
    await engine.catalog.deleteObject('reader', 'main', 'z/x');
    await collect(engine.gc, 'owner');
    assert.equal(await exists(engine, 'owner', engine.address), false);
  });
});

describe('lists on disk', () => {
  const commit = { committer: 'tester', message: 'm' };
  /** Of a range file. */
  const [head, id] = [14, 24];

  /** Bytes of each file below a folder, by its path there. */
  async function filesBelow(folder: string): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) found.set(path.slice(folder.length + 1), (await stat(path)).size);
    }
    return found;
  }

  async function folderOf({ catalog, folder }: OpenEngine, repository: string): Promise<string> {
    return join(folder, 'gc', (await catalog.getRepository(repository)).instanceUid);
  }

  it('hold of other repositories only what is in the repository, and go with them', async t => {
    const engine = await open(t);
    await engine.catalog.commit('reader', 'main', commit);
    await collect(engine.gc, 'owner');
    const foreign = join(await folderOf(engine, 'owner'), 'foreign');
    const [[path = '', size] = [], ...others] = await filesBelow(foreign);
    assert.deepEqual([size, others], [head + id, []], 'one range, with one object of the owner');
    // As earlier versions wrote it.
    await collect(engine.gc, 'reader');
    const whole = join(engine.folder, 'gc', path);
    assert.equal((await stat(whole)).size, head + (fillers + 1) * id);
    await cp(whole, join(foreign, path));
    await collect(engine.gc, 'owner');
    assert.deepEqual([...(await filesBelow(foreign))], [[path, head + id]]);
    assert.equal(await exists(engine, 'owner', engine.address), true);
    await engine.catalog.deleteRepository('reader');
    await collect(engine.gc, 'owner');
    assert.deepEqual(await readdir(foreign), []);
    assert.equal(await exists(engine, 'owner', engine.address), false);
  });

  it('for explanations are those of the commits that stay', async t => {
    const engine = await openEngine({ config: ageless });
    t.after(() => engine.stop());
    const repository = await addRepository(engine, 'explained');
    await engine.gc.setRules(repository, { defaultRetentionDays: 1, branches: [] });
    const explained = join(await folderOf(engine, repository), 'explain');
    const addresses: string[] = [];
    for (const days of [90, 80]) {
      addresses.push(await putText(engine, repository, 'main', `x${days}`));
      await engine.catalog.commit(repository, 'main', { ...commit, date: daysAgo(days) });
      const { keptBy } = await engine.gc.explain(repository, addresses.at(-1) ?? '');
      assert.match(keptBy.join(), /^commit [0-9a-f]+, branch main$/);
      assert.deepEqual([...(await filesBelow(explained)).values()], [head + addresses.length * id]);
    }
  });
});

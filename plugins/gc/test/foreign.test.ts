/** Objects that only another repository shows, uncommitted, stay whatever happens to it while it is read. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { identifierType } from '@srv/lib-stores/block';
import { PagedKv, addRepository, ageless, collect, exists, gatherStaged, openEngine, putText } from './fixture.js';
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

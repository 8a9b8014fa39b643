/** Purges of the namespaces of repositories that are gone. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addRepository, addressesBelow, ageless, collect, contentAt, openEngine, putText } from './fixture.js';
import type { OpenEngine } from './fixture.js';

const commit = { committer: 'tester', message: 'm' };

describe('a purge', () => {
  let engine: OpenEngine;
  before(async () => {
    engine = await openEngine({ config: ageless });
  });
  after(() => engine.stop());

  const repository = (id: string): Promise<string> => addRepository(engine, id);
  const put = (id: string, branch: string, path: string): Promise<string> => putText(engine, id, branch, path);

  it('leaves objects that a shallow copy in another repository shows', async () => {
    const [from, to] = [await repository('shown-there'), await repository('shows-it')];
    await put(from, 'main', 'x');
    const copy = await engine.catalog.copyObject(
      to,
      { repository: from, ref: 'main', path: 'x' },
      { branch: 'main', path: 'y' },
      { shallow: true },
    );
    assert.ok(copy.physicalAddress.startsWith(`mem://bucket/${from}/`));
    await engine.catalog.deleteObject(from, 'main', 'x');
    assert.equal((await collect(engine.gc, from)).deleted, 0);
    assert.equal((await contentAt(engine.block, copy.physicalAddress)).length, copy.size);
    await engine.catalog.deleteRepository(from);
    await assert.rejects(engine.gc.purge(`mem://bucket/${from}`), /still shown by another repository/);
    await engine.catalog.deleteObject(to, 'main', 'y');
    assert.ok((await engine.gc.purge(`mem://bucket/${from}`)) > 0);
    await assert.rejects(contentAt(engine.block, copy.physicalAddress), { code: 'no_data' });
  });

  it('removes what a deleted repository left, and no other', async () => {
    const id = await repository('purged');
    await put(id, 'main', 'x');
    await engine.catalog.commit(id, 'main', commit);
    await assert.rejects(engine.gc.purge(`mem://bucket/${id}`), /overlaps/);
    await engine.catalog.deleteRepository(id);
    assert.ok((await engine.gc.purge(`mem://bucket/${id}`)) > 3);
    assert.deepEqual(await addressesBelow(engine.block, `mem://bucket/${id}/`), []);
    await assert.rejects(engine.gc.purge('mem://bucket/never'), /no repository was ever in/);
    await assert.rejects(engine.gc.purge('mem://bucket'), /overlaps/);
  });

  it('stops before it removes a repository that was created in the namespace meanwhile', async t => {
    const id = await repository('reused');
    const address = await put(id, 'main', 'x');
    await engine.catalog.deleteRepository(id);
    const walk = engine.block.walk.bind(engine.block);
    let made: Promise<unknown> | undefined;
    t.mock.method(engine.block, 'walk', async function* (...given: Parameters<typeof walk>) {
      // To create it, the store is walked, too.
      const isFirst = made === undefined;
      made ??= engine.catalog.createRepository({ id: 'inner', storageNamespace: `mem://bucket/${id}/inner` });
      if (isFirst) await made;
      yield* walk(...given);
    });
    await assert.rejects(engine.gc.purge(`mem://bucket/${id}`), /overlaps/);
    assert.ok((await addressesBelow(engine.block, `mem://bucket/${id}/`)).some(found => found.endsWith(address)));
    assert.equal((await engine.catalog.putObject('inner', 'main', 'y', Buffer.from('y'))).size, 1);
  });

  it('stops before it removes what a plugin has come to need meanwhile', async () => {
    const id = await repository('needed');
    const address = await put(id, 'main', 'x');
    await engine.catalog.deleteRepository(id);
    const began = new Date();
    let asked = 0;
    engine.kernel.hooks.guardPurge.tapPromise('test', async ({ roots, since }) => {
      if (!roots.includes(`mem://bucket/${id}/`)) return;
      assert.deepEqual([...new Set(roots)], [`mem://bucket/${id}/`]);
      assert.ok(since >= began);
      if (++asked === 2) throw new Error('it is needed here');
    });
    await assert.rejects(engine.gc.purge(`mem://bucket/${id}`), /it is needed here/);
    assert.equal(asked, 2, 'at the beginning, and before the first page');
    assert.ok((await addressesBelow(engine.block, `mem://bucket/${id}/`)).some(found => found.endsWith(address)));
  });
});

/** Pages written as text show what plain pages show: over several ranges and blocks, with any prefix, marker and size. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@srv/kernel/testing';
import { SerializedListings } from '../../src/objects/serialized-listings.js';
import { commit, itemsOf, newRepository, openEngine, serialize } from './fixture.js';
import type { Engine, ItemSerializer, ListRequest } from '../../src/contract.js';

const filler = 'x'.repeat(200);
const objects = 2000;

async function stage(engine: Engine, branch: string, paths: readonly string[]): Promise<void> {
  const request = { address: `mem://outside/${filler}`, addressType: 1, size: 1, etag: 'e'.repeat(32) } as const;
  const repository = await engine.getRepository('repo');
  await Promise.all(paths.map(path => engine.stageEntry(repository, branch, path, { ...request, metadata: { path } })));
}

test('text pages of a large repository', async t => {
  const random = seededRandom();
  t.diagnostic(`SRV_TEST_SEED=${random.seed}`);
  const { engine } = await openEngine(t, {
    'committed.permanent.range_raggedness_entries': 300,
    'committed.permanent.min_range_size_bytes': 1,
  });
  await newRepository(engine);
  const paths = Array.from({ length: objects }, (_, i) => `${['a', 'b/c', 'ü'][i % 3]}/${String(i).padStart(5, '0')}`);
  await stage(engine, 'main', paths);
  await engine.commit('repo', 'main', commit);
  const marker = (): string =>
    random.choose(['', random.choose(paths), `${random.choose(paths)}0`, random.choose(paths).slice(0, -1), 'zzz', 'b/']);
  for (let round = 0; round < 400; round++) {
    if (round === 200) await stage(engine, 'main', ['b/c/00400', 'b/d']);
    const request: ListRequest = {
      prefix: random.choose(['', 'a', 'a/', 'b/', 'b/c/004', 'ü', 'x', 'z']),
      after: marker(),
      amount: random.choose([1, 2, 50, 100, 333, 1000]),
    };
    const what = `seed ${random.seed}: ${JSON.stringify(request)}`;
    const plain = await engine.list('repo', 'main', request);
    const text = await engine.listText('repo', 'main', request, serialize);
    if (round < 200) assert.ok(text, what);
    if (!text) continue;
    assert.deepEqual(
      itemsOf(text),
      plain.results.map(item => JSON.parse(serialize(item))),
      what,
    );
    assert.deepEqual([text.hasMore, text.nextOffset], [plain.hasMore, plain.nextOffset], what);
  }
});

test('beyond maxBytes: the texts least in use are written again', async t => {
  const { engine, kernel } = await openEngine(t);
  await newRepository(engine);
  await stage(
    engine,
    'main',
    Array.from({ length: 500 }, (_, i) => `a/${i}`),
  );
  await engine.commit('repo', 'main', commit);
  const repository = await kernel.services.get('engine').getRepository('repo');
  const { metarangeId } = await kernel.services.get('engine').committedPart(repository, 'main', Buffer.alloc(0));
  const written = async (kept: number): Promise<number> => {
    const texts = new SerializedListings(kernel.services.get('engine').tables, kernel.services.get('block'), kept);
    let items = 0;
    const counted: ItemSerializer = item => {
      items++;
      return serialize(item);
    };
    for (let round = 0; round < 2; round++) await texts.page(repository, metarangeId, { amount: 1000 }, counted);
    return items;
  };
  assert.deepEqual([await written(1 << 20), await written(4096)], [500, 1000]);
});

test('text pages do not show what a branch hides or adds', async t => {
  const { engine } = await openEngine(t);
  await newRepository(engine);
  await stage(engine, 'main', ['a', 'b', 'c', 'd']);
  await engine.commit('repo', 'main', commit);
  await engine.deleteObject('repo', 'main', 'c');
  const textPage = (request: ListRequest) => engine.listText('repo', 'main', request, serialize);
  assert.equal(await textPage({}), undefined);
  assert.equal(await textPage({ amount: 2 }), undefined, 'only c shows that there is more');
  assert.equal((await textPage({ amount: 1 }))?.count, 1);
  assert.equal((await textPage({ after: 'ca' }))?.count, 1);
  assert.equal((await textPage({ prefix: 'b' }))?.count, 1);
  assert.equal(await textPage({ delimiter: '/' }), undefined);
});

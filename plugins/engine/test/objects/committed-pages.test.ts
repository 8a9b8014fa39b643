/** Cached pages of listings equal new ones, whatever happens to the branch in between. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommittedPages } from '../../src/objects/committed-pages.js';
import { commit, itemsOf, newRepository, openEngine, serialize } from './fixture.js';
import type { Repository } from '@srv/engine/contract';
import type { Engine, ListItem } from '../../src/contract.js';

const seed = Number(process.env.SRV_TEST_SEED ?? Date.now() % 2 ** 31);
const steps = 400;

function random(from: number): () => number {
  let state = from >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Few keys and few requests, so that the same pages come again. */
const keys = ['a', 'a/1', 'a/2', 'a/b/1', 'a0', 'b/1', 'b/2', 'c', 'd/1', 'd/2/3', 'e'];
const requests = [
  {},
  { amount: 2 },
  { amount: 2, after: 'a/1' },
  { delimiter: '/' },
  { delimiter: '/', amount: 1 },
  { delimiter: '/', amount: 2, after: 'a/' },
  { prefix: 'a/', delimiter: '/' },
  { prefix: 'a/', amount: 2 },
  { prefix: 'b/', amount: 2 },
  { prefix: 'd', delimiter: '/', amount: 1 },
  { prefix: 'x' },
];
type Request = (typeof requests)[number] & { prefix?: string; delimiter?: string; amount?: number; after?: string };

function expectedPage(objects: ReadonlyMap<string, string>, { prefix = '', delimiter = '', after = '', amount = 100 }: Request) {
  const shown: string[] = [];
  for (const key of [...objects.keys()].sort()) {
    if (!key.startsWith(prefix)) continue;
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const name = end < 0 ? key : key.slice(0, end + delimiter.length);
    if (name > after && shown.at(-1) !== name) shown.push(name);
  }
  return { shown: shown.slice(0, amount), hasMore: shown.length > amount };
}

async function check(engine: Engine, ref: string, objects: ReadonlyMap<string, string>, request: Request, what: string): Promise<void> {
  const { results, hasMore } = await engine.list('repo', ref, request);
  const expected = expectedPage(objects, request);
  assert.deepEqual({ shown: results.map(item => item.path), hasMore }, expected, what);
  for (const item of results) if (item.kind === 'object') assert.equal(item.entry.etag, objects.get(item.path), what);
  const text = await engine.listText('repo', ref, request, serialize);
  if (!text) return;
  assert.deepEqual(
    itemsOf(text),
    results.map(item => JSON.parse(serialize(item))),
    what,
  );
  assert.equal(text.hasMore, hasMore, what);
}

test(`listings while a branch changes (seed ${seed})`, async t => {
  const { engine } = await openEngine(t);
  await newRepository(engine);
  const next = random(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  let objects = new Map<string, string>();
  let committed = new Map<string, string>();
  for (let i = 0; i < steps; i++) {
    const luck = next();
    const key = pick(keys);
    if (luck < 0.3) objects.set(key, (await engine.putObject('repo', 'main', key, Buffer.from(`${i}`))).etag);
    else if (luck < 0.5) {
      await engine.deleteObject('repo', 'main', key);
      objects.delete(key);
    } else if (luck < 0.6) {
      await engine.resetBranch('repo', 'main', { type: 'all' });
      objects = new Map(committed);
    } else if (luck < 0.7) {
      const id = await engine.commit('repo', 'main', commit).catch(() => undefined);
      if (id) committed = new Map(objects);
    }
    for (let j = 0; j < 4; j++) {
      const request = pick(requests);
      const what = `step ${i}, seed ${seed}: ${JSON.stringify(request)}`;
      await check(engine, 'main', objects, request, what);
      await check(engine, 'main@', committed, request, `${what}, committed`);
    }
  }
});

test('a page that shows only what is committed is kept, others are not', async t => {
  const { engine } = await openEngine(t);
  await newRepository(engine, 'repo', 'a/1', 'b/1', 'c/1');
  const listed = (): ReturnType<Engine['list']> => engine.list('repo', 'main', { prefix: 'b/' });
  assert.notEqual(await listed(), await listed());
  await engine.commit('repo', 'main', commit);
  const kept = await listed();
  assert.equal(await listed(), kept);
  await engine.putObject('repo', 'main', 'c/2', Buffer.from('after it'));
  assert.equal(await listed(), kept);
  await engine.putObject('repo', 'main', 'b/2', Buffer.from('in it'));
  assert.deepEqual(
    (await listed()).results.map(({ path }) => path),
    ['b/1', 'b/2'],
  );
});

test('beyond maxItems: the pages least in use are forgotten', () => {
  const pages = new CommittedPages();
  const repository = { storageNamespace: 'mem://x' } as Repository;
  const part = { metarangeId: 'm', uncommitted: undefined };
  const page = { results: Array.from({ length: 999 }, () => ({})) as unknown as ListItem[], hasMore: false, nextOffset: '' };
  const request = (i: number) => ({ prefix: String(i) });
  for (let i = 0; i < 10; i++) pages.set(repository, 'm', request(i), { page, nextKey: undefined });
  assert.equal(pages.get(repository, part, request(0)), page);
  pages.set(repository, 'm', request(10), { page, nextKey: undefined });
  assert.equal(pages.get(repository, part, request(1)), undefined);
  assert.equal(pages.get(repository, part, request(0)), page);
});

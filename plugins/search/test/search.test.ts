/** Searches of the service: filters, pages, uncommitted changes, what is indexed when. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SrvError, isSrvError } from '@srv/kernel';
import { seededRandom, until } from '@srv/kernel/testing';
import { rangeFile } from '../src/index/index-files.js';
import { compileWhere } from '../src/where/filter.js';
import { all, indexerOn, newRepository, openSearch } from './fixture.js';
import { randomHistory } from './histories.js';
import type { FoundObject } from '../src/contract.js';

const repository = 'zoo';

const expressions = [
  'size > 10',
  'path like "a/*" and size >= 10',
  'metadata.label = "cat" or path like "*.txt"',
  'committer = "ann"',
  'not metadata.label',
  'path = "a/b/3.png"',
  'content_type != "image/png" and modified > "2020-01-01"',
];

function passes(object: FoundObject, expression: string): boolean {
  const texts = {
    path: object.path,
    etag: object.etag,
    content_type: object.contentType,
    commit_id: object.commitId,
    committer: object.committer,
  };
  return compileWhere(expression).test({
    number: field => (field === 'size' ? object.size : object.lastModified.getTime()),
    text: field => texts[field],
    metadata: key => object.metadata[key],
  });
}

describe('a search', () => {
  it('finds what a filter over everything finds, in pages, below prefixes, with what is not committed', async t => {
    const random = seededRandom();
    t.diagnostic(`seed ${random.seed}`);
    const { engine, search } = await openSearch(t);
    await newRepository(engine);
    await search.setSettings(repository, { branches: ['main'] });
    await randomHistory(engine, repository, random, 40);
    await engine.resetBranch(repository, 'main', { type: 'all' });
    for (let i = 0; i < 12; i++) await engine.putObject(repository, 'main', `a/${i}.new`, Buffer.alloc(i));
    const [committed] = (await engine.list(repository, 'main', { amount: 1 })).results;
    if (committed) await engine.deleteObject(repository, 'main', committed.path);
    for (const uncommitted of [false, true]) {
      const everything = await all(search.rows(repository, 'main', { uncommitted }));
      if (uncommitted) {
        const listed = (await engine.list(repository, 'main', { amount: 1000 })).results.map(({ path }) => path);
        assert.deepEqual(
          everything.map(({ path }) => path),
          listed,
        );
        assert.equal(everything.find(({ path }) => path === 'a/3.new')?.commitId, undefined);
      }
      for (const where of expressions)
        for (const prefix of ['', 'a/', 'a/b/', 'zzz']) {
          const expected = everything.filter(object => object.path.startsWith(prefix) && passes(object, where));
          const found: FoundObject[] = [];
          for (let after = ''; ; ) {
            const page = await search.search(repository, 'main', { where, prefix, after, uncommitted, amount: 3 });
            found.push(...page.results);
            if (!page.hasMore) break;
            after = page.nextOffset;
          }
          assert.deepEqual(found, expected, `${where} below ${prefix}, uncommitted: ${uncommitted}`);
        }
    }
  });

  it('reads tags, commits and expressions of commits', async t => {
    const { engine, search } = await openSearch(t);
    await newRepository(engine);
    await search.setSettings(repository, { branches: ['main'] });
    await engine.putObject(repository, 'main', 'a', Buffer.from('a'));
    const first = await engine.commit(repository, 'main', { committer: 'ann', message: 'a' });
    await engine.createTag(repository, 'v1', 'main');
    await engine.putObject(repository, 'main', 'b', Buffer.from('b'));
    await engine.commit(repository, 'main', { committer: 'ann', message: 'b' });
    const paths = async (ref: string) => (await search.search(repository, ref)).results.map(({ path }) => path);
    assert.deepEqual(await paths('main'), ['a', 'b']);
    for (const ref of ['v1', first.id, 'main~1', first.id.slice(0, 10)]) assert.deepEqual(await paths(ref), ['a'], ref);
    await assert.rejects(search.search(repository, 'v1', { uncommitted: true }), (error: unknown) =>
      isSrvError(error, 'not_found', 'invalid'),
    );
  });

  it('of a commit whose own metadata is missing fails, and leaves the index of the others as it is', async t => {
    const { engine, search, block } = await openSearch(t);
    await newRepository(engine);
    await engine.putObject(repository, 'main', 'a', Buffer.from('a'));
    await engine.commit(repository, 'main', { committer: 'ann', message: 'a' });
    await engine.createBranch(repository, 'damaged', 'main');
    await engine.putObject(repository, 'damaged', 'b', Buffer.from('b'));
    const { metarangeId: damaged } = await engine.commit(repository, 'damaged', { committer: 'ann', message: 'b' });
    const ranges = engine.tables.ranges.bind(engine.tables);
    t.mock.method(engine.tables, 'ranges', (...args: Parameters<typeof ranges>) => {
      if (args[1] === damaged) throw new SrvError('no_data', 'metadata file is missing');
      return ranges(...args);
    });
    const removals = t.mock.method(block, 'removeAll');
    await search.setSettings(repository, { branches: ['*'] });
    // The damaged branch comes first.
    await until(async () => (await search.status(repository)).branches.find(({ branch }) => branch === 'main')?.isIndexed);
    await assert.rejects(search.search(repository, 'damaged'), /metadata file is missing/);
    assert.deepEqual(
      (await search.search(repository, 'main')).results.map(({ path }) => path),
      ['a'],
    );
    assert.equal(removals.mock.callCount(), 0);
  });

  it('of a repository that is not indexed says how to switch the index on', async t => {
    const { engine, search, block } = await openSearch(t);
    const found = await newRepository(engine);
    const fails = (error: unknown): boolean => isSrvError(error, 'invalid') && /search enable srv:\/\/zoo main/.test(error.message);
    await assert.rejects(search.search(repository, 'main'), fails);
    await search.setSettings(repository, { branches: ['ma*'] });
    assert.deepEqual((await search.settings(repository)).branches, ['ma*']);
    assert.deepEqual((await search.search(repository, 'main')).results, []);
    const { commitId } = await engine.getBranch(repository, 'main');
    assert.ok(await indexerOn(t, { engine, block }).files.findSnapshot(found, commitId));
    await search.setSettings(repository, { branches: [] });
    await assert.rejects(search.search(repository, 'main'), fails);
    assert.equal(await indexerOn(t, { engine, block }).files.findSnapshot(found, commitId), undefined, 'the index is removed');
    await assert.rejects(search.setSettings(repository, { branches: ['[a'] }), /pattern "\[a": \[ is not closed by \]; use \*/);
    const stranger = search.setSettings(repository, { branches: ['{rel,v}-[0-9]\\?', 'srv://zoo'] });
    await assert.rejects(stranger, /pattern "srv:\/\/zoo": ":" is not in any name of a branch/);
  });
});

describe('indexing in the background', () => {
  it('follows commits, merges and new branches of selected branches', async t => {
    const { engine, search } = await openSearch(t, { config: { 'search.repositories': { zoo: 'main rel-*' } } });
    await newRepository(engine);
    const isIndexed = async (branch: string) =>
      (await search.status(repository)).branches.find(found => found.branch === branch)?.isIndexed;
    await engine.putObject(repository, 'main', 'a', Buffer.from('a'));
    await engine.commit(repository, 'main', { committer: 'ann', message: 'a' });
    await until(async () => (await isIndexed('main')) === true);
    await engine.createBranch(repository, 'rel-1', 'main');
    await engine.createBranch(repository, 'dev', 'main');
    await until(async () => (await isIndexed('rel-1')) === true);
    await engine.putObject(repository, 'dev', 'b', Buffer.from('b'));
    await engine.commit(repository, 'dev', { committer: 'ann', message: 'b' });
    await engine.merge(repository, 'dev', 'main', { committer: 'ann' });
    await until(async () => (await isIndexed('main')) === true);
    assert.equal(await isIndexed('dev'), undefined, 'not selected');
  });

  it('finds commits of other servers in its rounds', async t => {
    const one = await openSearch(t);
    const other = await openSearch(t, { kv: one.kv, block: one.block, config: { 'search.period': '1s' } });
    await newRepository(one.engine);
    await other.search.setSettings(repository, { branches: ['main'] });
    await one.engine.putObject(repository, 'main', 'a', Buffer.from('a'));
    await one.engine.commit(repository, 'main', { committer: 'ann', message: 'a' });
    await until(async () => (await other.search.status(repository)).branches[0]?.isIndexed === true);
  });
});

it('beyond memory: parts of index files that were not read recently are read again', async t => {
  const opened = await openSearch(t);
  const { engine } = opened;
  const found = await newRepository(engine);
  for (let i = 0; i < 40; i++) await engine.putObject(repository, 'main', `${i}`, Buffer.from('a'));
  const { id } = await engine.commit(repository, 'main', { committer: 'ann', message: 'a' });
  let reads = 0;
  const block = new Proxy(opened.block, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (name === 'get') reads++;
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  for (const [memory, again] of [
    [1 << 22, false],
    [400, true],
  ] as const) {
    const { files, indexer } = indexerOn(t, { engine, block }, memory);
    const { ranges } = await indexer.ensure(found, id);
    const readAll = async (): Promise<number> => {
      reads = 0;
      for (const range of ranges) await files.texts(found, rangeFile(range.id), 'path');
      return reads;
    };
    await readAll();
    assert.equal((await readAll()) > 0, again, `${memory} bytes`);
  }
});

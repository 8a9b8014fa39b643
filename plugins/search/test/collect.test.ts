/** Garbage of indexes: what goes, what stays, and that searches find the same before and after. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { seededRandom, until } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import { startSrv } from '@srv/test-servers';
import { all, indexerOn, newRepository, openSearch } from './fixture.js';
import { NaiveReader, randomHistory } from './histories.js';
import type { CollectedFile, Repository } from '@srv/engine/contract';
import type { IndexFiles } from '../src/index/index-files.js';
import type { OpenSearch } from './fixture.js';

const later = new Date(Date.UTC(2100, 0));

interface Collecting {
  readonly kept: () => Promise<ReadonlySet<string>>;
  /** Runs before the files of a batch are looked at again. */
  readonly meanwhile?: () => Promise<unknown>;
  readonly cutoff?: Date;
}

/** A run of the collector. @returns names of what it removed, and its problems. */
async function collect({ engine, block }: OpenSearch, repository: Repository, { kept, meanwhile, cutoff = later }: Collecting) {
  const removed: string[] = [];
  const problems: string[] = [];
  await engine.hooks.collectFiles.promise({
    repository,
    cutoff,
    signal: new AbortController().signal,
    kept: async () => ({ metaranges: await kept(), addresses: [] }),
    staged: async function* () {
      yield [];
    },
    remove: async (_files: readonly CollectedFile[], confirm) => {
      await meanwhile?.();
      for (const { key } of await confirm()) {
        removed.push(key.slice(key.indexOf('search/') + 'search/'.length));
        await block.remove({ namespace: repository.storageNamespace, identifier: key, identifierType: identifierType.relative });
      }
    },
    report: problem => void problems.push(problem),
  });
  return { removed, problems };
}

const headsOf = async ({ engine }: OpenSearch, repository: Repository): Promise<ReadonlySet<string>> => {
  const { results } = await engine.listBranches(repository, { amount: 1000 });
  return new Set(await Promise.all(results.map(async ({ commitId }) => (await engine.getCommit(repository, commitId)).metarangeId)));
};

/** Paths with the last author, in order. */
async function naiveListing(engine: OpenSearch['engine'], repository: string, commit: string): Promise<unknown> {
  return [...(await new NaiveReader(engine, repository).rows(commit))].map(([path, { commitId }]) => [path, commitId]);
}

async function namesOf(files: IndexFiles, repository: Repository): Promise<string[]> {
  return (await all(files.list(repository, '', new AbortController().signal))).map(({ name }) => name).toSorted();
}

it('files that only commits reach which nothing keeps go, and heads are searched as before without a new index', async t => {
  const random = seededRandom();
  for (let round = 0; round < 4; round++) {
    const open = await openSearch(t, { config: { 'search.repositories': { zoo: '*' } } });
    const { engine, search } = open;
    const repository = await newRepository(engine);
    const commits = await randomHistory(engine, repository.id, random, 25);
    for (const commit of commits) await search.search(repository.id, commit);
    const { files } = indexerOn(t, open);
    const before = await namesOf(files, repository);
    const { removed, problems } = await collect(open, repository, { kept: () => headsOf(open, repository) });
    assert.deepEqual(problems, []);
    const after = await namesOf(files, repository);
    assert.deepEqual([...after, ...removed].toSorted(), before, `seed ${random.seed}`);
    const heads = await headsOf(open, repository);
    for (const commit of commits) {
      const { metarangeId } = await engine.getCommit(repository, commit);
      const stays = metarangeId === '' || heads.has(metarangeId);
      assert.equal(after.includes(`commits/${commit}`), stays, `seed ${random.seed}`);
    }
    // Another server, which remembers nothing, finds heads in what is left.
    const other = indexerOn(t, open);
    const { results: branches } = await engine.listBranches(repository, { amount: 1000 });
    for (const { id, commitId } of branches) {
      await other.indexer.ensure(repository, commitId);
      assert.deepEqual(
        (await all(search.rows(repository.id, id))).map(({ path, commitId: by }) => [path, by]),
        await naiveListing(engine, repository.id, commitId),
        `seed ${random.seed}`,
      );
    }
    assert.deepEqual(await namesOf(files, repository), after, `seed ${random.seed}`);
    // An old commit is indexed again when it is searched.
    for (const commit of commits)
      assert.deepEqual(
        (await all(search.rows(repository.id, commit))).map(({ path, commitId: by }) => [path, by]),
        await naiveListing(engine, repository.id, commit),
        `seed ${random.seed}`,
      );
  }
});

it('young files stay, and what becomes needed while the collector works', async t => {
  const open = await openSearch(t, { config: { 'search.repositories': { zoo: '*' } } });
  const { engine, search } = open;
  const repository = await newRepository(engine);
  const commit = async (path: string): Promise<string> => {
    await engine.putObject(repository, 'main', path, Buffer.from(path));
    const { id } = await engine.commit(repository, 'main', { committer: 'ann', message: path });
    await search.search(repository.id, id);
    return id;
  };
  const first = await commit('a');
  await commit('b');
  const kept = () => headsOf(open, repository);
  assert.deepEqual((await collect(open, repository, { kept, cutoff: new Date(0) })).removed, []);
  const saved = await collect(open, repository, { kept, meanwhile: () => engine.createBranch(repository, 'old', first) });
  assert.deepEqual(saved.removed, []);
  await engine.deleteBranch(repository, 'old');
  const { removed } = await collect(open, repository, { kept });
  assert.ok(removed.includes(`commits/${first}`), removed.join());
});

it('a snapshot that cannot be read stays and is reported; without an index there is nothing to do', async t => {
  const open = await openSearch(t, { config: { 'search.repositories': { zoo: '*' } } });
  const { engine, search, block } = open;
  const repository = await newRepository(engine);
  const kept = () => headsOf(open, repository);
  assert.deepEqual(await collect(open, repository, { kept }), { removed: [], problems: [] });
  await search.search(repository.id, 'main');
  const id = 'ab'.repeat(32);
  const folder = await engine.tables.folderOf(repository.storageNamespace);
  const pointer = {
    namespace: repository.storageNamespace,
    identifier: `${folder}/search/commits/${id}`,
    identifierType: identifierType.relative,
  };
  await block.put(pointer, Buffer.from('{'), { size: 1 });
  const { removed, problems } = await collect(open, repository, { kept });
  assert.deepEqual(removed, []);
  assert.match(problems.join(), new RegExp(`index file commits/${id}: .*; the file stays`));
});

it('a run of the collector removes them with the garbage of objects', async t => {
  const { url, key, kernel, stop } = await startSrv({
    plugins: ['search', 'gc'],
    config: { 'gc.min_age': '0s', 'gc.unsafe_min_age': true, 'search.period': '10h', 'search.repositories': { zoo: 'main' } },
  });
  t.after(stop);
  const { services } = kernel;
  const [engine, search, block] = [services.get('engine'), services.get('search'), services.get('block')];
  const repository = await engine.createRepository({ id: 'zoo', storageNamespace: 'local://zoo' });
  await engine.putObject('zoo', 'main', 'a', Buffer.from('a'));
  await engine.commit('zoo', 'main', { committer: 'ann', message: 'a' });
  assert.equal((await search.search('zoo', 'main')).results.length, 1);
  const identifier = `${await engine.tables.folderOf(repository.storageNamespace)}/search/ranges/${'cd'.repeat(32)}`;
  const orphan = { namespace: repository.storageNamespace, identifier, identifierType: identifierType.relative };
  await block.put(orphan, Buffer.from('x'), { size: 1 });
  // Files of this very millisecond are not older than it.
  const now = Date.now();
  await until(() => Date.now() > now + 2);
  const headers = {
    authorization: `Basic ${Buffer.from(`${key.accessKeyId}:${key.secretAccessKey}`).toString('base64')}`,
    'content-type': 'application/json',
  };
  const runs = `${url}/api/v1/repositories/zoo/gc/runs`;
  const { id } = (await (await fetch(runs, { method: 'POST', headers, body: JSON.stringify({ mode: 'run' }) })).json()) as { id: string };
  const run = await until(async () => {
    const found = (await (await fetch(`${runs}/${id}`, { headers })).json()) as { phase: string; error?: string; other_files: number };
    return found.phase === 'marking' || found.phase === 'sweeping' ? undefined : found;
  });
  assert.deepEqual([run.error, run.other_files], [undefined, 1]);
  assert.equal(await block.exists(orphan), false);
  assert.equal((await search.search('zoo', 'main')).results.length, 1);
});

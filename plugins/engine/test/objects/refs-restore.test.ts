import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { describe, it, test } from 'node:test';
import { encodeBranch, encodeCommit, encodeTag } from '@srv/engine/refs/messages';
import { encodeValue } from '@srv/engine/tables/format';
import { isSrvError } from '@srv/kernel';
import { MemoryKvStore, until } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import { dumpProperties } from '../../src/objects/messages/refs-dump.js';
import { PinnedKv } from '../refs/fixture.js';
import { MortalKv } from '../refs/hostile-kv.js';
import { commit, listPaths, newRepository, openEngine } from './fixture.js';
import type { ErrorCode } from '@srv/kernel';
import type { Engine, RefsDump } from '../../src/contract.js';

const fails = (code: ErrorCode, text: RegExp) => (error: unknown) => isSrvError(error, code) && text.test(error.message);

/** Repository `repo` with three branches, one of them hidden, two tags, and three commits with the first. */
async function dumped(engine: Engine): Promise<RefsDump> {
  await newRepository(engine, 'repo', 'f');
  await engine.commit('repo', 'main', commit);
  await engine.createBranch('repo', 'early', 'main');
  await engine.createBranch('repo', 'shy', 'main', { hidden: true });
  await engine.createTag('repo', 'v1', 'main');
  await engine.putObject('repo', 'main', 'g', Buffer.from('g'));
  await engine.commit('repo', 'main', commit);
  await engine.createTag('repo', 'v2', 'main');
  return engine.dumpRefs('repo');
}

const bare = (engine: Engine, id: string, defaultBranch = 'main') =>
  engine.createRepository({ id, storageNamespace: 'mem://bucket/repo', bare: true, defaultBranch });

/** Ids and commits of all branches and tags. */
async function refsOf(engine: Engine, id: string): Promise<unknown> {
  const [branches, tags] = await Promise.all([engine.listBranches(id, { showHidden: true }), engine.listTags(id)]);
  return {
    branches: branches.results.map(branch => [branch.id, branch.commitId, branch.hidden]),
    tags: tags.results.map(tag => [tag.id, tag.commitId]),
  };
}

describe('a restore of refs', () => {
  it('is refused by a repository with a branch or tag that it would not leave as it is, and changes nothing there', async t => {
    const { engine } = await openEngine(t);
    const dump = await dumped(engine);
    const first = (await engine.getTag('repo', 'v1')).commitId;
    const cases: readonly [string, (id: string) => Promise<unknown>, RegExp][] = [
      ['with-branch', id => engine.createBranch(id, 'other', first), /bare repository: with-branch has branch other; restore into /],
      ['with-hidden', id => engine.createBranch(id, 'other', first, { hidden: true }), /bare repository: with-hidden has branch other; /],
      ['with-tag', id => engine.createTag(id, 'other', first), /bare repository: with-tag has tag other; /],
      ['with-moved', id => engine.createTag(id, 'v2', first), /bare repository: with-moved has tag v2; /],
    ];
    for (const [id, add, message] of cases) {
      await bare(engine, id);
      for await (const record of commitsOf(engine)) await engine.createCommitRecord(id, record);
      await add(id);
      const before = await refsOf(engine, id);
      await assert.rejects(engine.restoreRefs(id, dump), fails('invalid', message));
      await assert.rejects(engine.submitRestore(id, dump), fails('invalid', message));
      assert.deepEqual(await refsOf(engine, id), before);
    }
  });

  it('needs the default branch, and writes nothing without it', async t => {
    const { engine } = await openEngine(t);
    const dump = await dumped(engine);
    await bare(engine, 'again', 'trunk');
    const message = /does not have trunk, the default branch of again, but early, main, shy: delete again, .* --default-branch of the dump/;
    await assert.rejects(engine.restoreRefs('again', dump), fails('invalid', message));
    assert.deepEqual(await refsOf(engine, 'again'), { branches: [], tags: [] });
    const { commitId } = await engine.getBranch('repo', 'main');
    await assert.rejects(engine.getCommit('again', commitId), fails('not_found', /./));
    await engine.deleteRepository('again');
    await bare(engine, 'again');
    const empty = await engine.dumpRefs('again');
    await assert.rejects(
      engine.restoreRefs('again', { ...dump, branches: empty.branches }),
      fails('invalid', /does not have main, .* but no branch at all: /),
    );
    // Of a repository without anything, everything is restored.
    await engine.restoreRefs('again', empty);
    await engine.restoreRefs('again', dump);
    assert.deepEqual(await refsOf(engine, 'again'), await refsOf(engine, 'repo'));
  });

  it('killed after any write can be repeated, until it is done', async t => {
    const kv = new MortalKv(new MemoryKvStore(), Infinity);
    const { engine } = await openEngine(t, {}, kv);
    const dump = await dumped(engine);
    const wanted = await refsOf(engine, 'repo');
    let kills = 0;
    for (let isDone = false; !isDone; kills++) {
      await bare(engine, `copy-${kills}`);
      kv.writesLeft = kills;
      await engine.restoreRefs(`copy-${kills}`, dump).catch(() => {});
      kv.writesLeft = Infinity;
      const { results } = await engine.listBranches(`copy-${kills}`, { prefix: 'main' });
      isDone = results.length > 0;
      const again = engine.restoreRefs(`copy-${kills}`, dump);
      if (isDone) await assert.rejects(again, fails('invalid', /bare repository: copy-\d+ has branch main/));
      else await again;
      assert.deepEqual(await refsOf(engine, `copy-${kills}`), wanted);
    }
    assert.ok(kills > 8, `killed after each of ${kills - 1} writes`);
  });

  it('that is repeated leaves what is uncommitted, and no branch that has moved', async t => {
    const kv = new MortalKv(new MemoryKvStore(), Infinity);
    const { engine } = await openEngine(t, {}, kv);
    const dump = await dumped(engine);
    await bare(engine, 'copy');
    // Three commits and the branch `early`.
    kv.writesLeft = 4;
    await assert.rejects(engine.restoreRefs('copy', dump), fails('unavailable', /./));
    kv.writesLeft = Infinity;
    await engine.putObject('copy', 'early', 'new', Buffer.from('new'));
    await engine.restoreRefs('copy', dump);
    assert.deepEqual(await listPaths(engine, 'copy', 'early'), ['f', 'new']);
    await bare(engine, 'moved');
    kv.writesLeft = 4;
    await assert.rejects(engine.restoreRefs('moved', dump), fails('unavailable', /./));
    kv.writesLeft = Infinity;
    await engine.putObject('moved', 'early', 'new', Buffer.from('new'));
    await engine.commit('moved', 'early', commit);
    await assert.rejects(engine.restoreRefs('moved', dump), fails('invalid', /bare repository: moved has branch early; /));
    assert.deepEqual(await listPaths(engine, 'moved', 'early'), ['f', 'new']);
  });

  it('accepts refs that appear meanwhile only with the same commit', async t => {
    const kv = new PinnedKv();
    const { engine } = await openEngine(t, {}, kv);
    const dump = await dumped(engine);
    const v1 = (await engine.getTag('repo', 'v1')).commitId;
    const v2 = (await engine.getTag('repo', 'v2')).commitId;
    const meanwhile = async (id: string, commitId: string): Promise<void> => {
      await bare(engine, id);
      let isMade = false;
      // Each commit is pinned before it is stored: the second one is restored after the checks and the first commit.
      kv.onPin = async () => {
        if (
          isMade ||
          (await engine.getCommit(id, commitId).then(
            () => false,
            () => true,
          ))
        )
          return;
        isMade = true;
        await engine.createBranch(id, 'early', commitId);
      };
      await engine.restoreRefs(id, dump);
    };
    await meanwhile('same', v1);
    assert.deepEqual(await refsOf(engine, 'same'), await refsOf(engine, 'repo'));
    await assert.rejects(meanwhile('other', v2), fails('not_unique', /branch early already exists, at another commit: not unique/));
    assert.equal((await engine.getBranch('other', 'early')).commitId, v2);
  });
});

describe('the dump of a restore', () => {
  it('has each table in its place, of one moment, with names and commits that can be used', async t => {
    const { engine } = await openEngine(t);
    await dumped(engine);
    const oldest = (await engine.log('repo', 'main')).results.at(-1) ?? assert.fail();
    await engine.putObject('repo', 'main', 'h', Buffer.from('h'));
    const later = await engine.commit('repo', 'main', commit);
    await engine.createTag('repo', 'v3', 'main');
    const second = await engine.dumpRefs('repo');
    const { commits, branches, tags } = second;
    const table = async (entity: 'branch' | 'commit' | 'tag', key: string, data: Buffer): Promise<string> => {
      async function* changes() {
        yield [{ key: Buffer.from(key), value: encodeValue({ identity: Buffer.from(later.id), data }) }];
      }
      const request = { namespace: 'mem://bucket/repo', base: '', properties: dumpProperties(entity), changes: changes() };
      return (await engine.tables.apply(request)).metarangeId;
    };
    const branch = { commitId: later.id, stagingToken: '', sealedTokens: [], hidden: false, unknown: [] };
    const tag = await table('tag', 'v1', encodeTag({ id: 'v2', commitId: later.id }));
    const cases: readonly [string, Partial<RefsDump>, RegExp][] = [
      [
        'a',
        { commits: await table('commit', oldest.id, encodeCommit(oldest)) },
        /^the dump has branch early at \w+, branch main at .*, but none of their commits \(\w+\): use the ids/,
      ],
      ['c', { branches: commits }, /branches_meta_range_id: \w+ is a table of commits, not of branches: use the manifest/],
      ['d', { branches: tags }, /branches_meta_range_id: \w+ is a table of tags, not of branches/],
      ['e', { branches: later.metarangeId }, /branches_meta_range_id: \w+ is a table of objects, not of branches/],
      ['f', { tags: branches }, /tags_meta_range_id: \w+ is a table of branches, not of tags/],
      ['g', { commits: later.metarangeId }, /commits_meta_range_id: \w+ is a table of objects, not of commits/],
      ['i', { tags: await table('tag', 'a/b', encodeTag({ id: 'a/b', commitId: later.id })) }, /tags_meta_range_id: tag id: .*"a\/b"/],
      ['j', { branches: await table('branch', '-x', encodeBranch({ ...branch, id: '-x' })) }, /branches_meta_range_id: branch id: .*"-x"/],
      ['k', { tags: tag }, /the tags of the dump \(\w+\) are damaged: restore another dump/],
      ['l', { tags: 'x' }, /"x" is not a range or metarange id/],
    ];
    for (const [name, change, message] of cases) {
      const id = `copy-${name}`;
      await bare(engine, id);
      const dump = { ...second, ...change };
      await assert.rejects(engine.restoreRefs(id, dump), fails('invalid', message));
      assert.deepEqual(await refsOf(engine, id), { branches: [], tags: [] }, name);
      await engine.restoreRefs(id, second);
      assert.deepEqual(await refsOf(engine, id), await refsOf(engine, 'repo'), name);
    }
  });
});

test('a dump whose commits were written first: what was committed meanwhile is left out, and named; the rest is there', async t => {
  const { engine } = await openEngine(t);
  const { commits } = await dumped(engine);
  const { commitId } = await engine.getBranch('repo', 'main');
  await engine.putObject('repo', 'main', 'h', Buffer.from('h'));
  const late = await engine.commit('repo', 'main', commit);
  for (let i = 0; i < 5; i++) await engine.createTag('repo', `v${3 + i}`, 'main');
  const later = await engine.dumpRefs('repo');
  await bare(engine, 'copy');
  const message = new RegExp(
    `^restored, except branch main at ${late.id}, tag v3 at ${late.id}, .*tag v6 at ${late.id} and 1 more, whose commits are not among .*${commits}`,
  );
  await assert.rejects(engine.restoreRefs('copy', { ...later, commits }), fails('invalid', message));
  const names = (await refsOf(engine, 'copy')) as { branches: [string][]; tags: [string][] };
  assert.deepEqual(
    [names.branches.map(([id]) => id), names.tags.map(([id]) => id)],
    [
      ['early', 'shy'],
      ['v1', 'v2'],
    ],
  );
  await engine.createBranch('copy', 'main', commitId);
  assert.deepEqual(await listPaths(engine, 'copy', 'main'), ['f', 'g']);
});

test('a damaged dump: the table is named, by requests and by tasks, and the repository stays bare', async t => {
  const { engine, kernel } = await openEngine(t);
  const dump = await dumped(engine);
  const block = kernel.services.get('block');
  const fileIn = (namespace: string, id: string) => ({ namespace, identifier: `_srv/${id}`, identifierType: identifierType.relative });
  const files: [keyof RefsDump, string][] = [];
  for (const kind of ['commits', 'branches', 'tags'] as const) {
    files.push([kind, dump[kind]]);
    for await (const page of engine.tables.ranges('mem://bucket/repo', dump[kind])) for (const { id } of page) files.push([kind, id]);
  }
  assert.equal(files.length, 6);
  for (const [at, [kind, damaged]] of files.entries()) {
    const id = `damaged-${at}`;
    // Each namespace has local copies of its own.
    const namespace = `mem://bucket/${id}`;
    for (const [, file] of files) {
      const bytes = await buffer(await block.get(fileIn('mem://bucket/repo', file)));
      if (file === damaged) bytes.writeUInt8(bytes.readUInt8(10) ^ 1, 10);
      await block.put(fileIn(namespace, file), bytes, { size: bytes.length });
    }
    await engine.createRepository({ id, storageNamespace: namespace, bare: true });
    const message = `the ${kind} of the dump (${dump[kind]}) are damaged: restore another dump, or the files of this one from a backup`;
    await assert.rejects(engine.restoreRefs(id, dump), { code: 'invalid', message });
    const task = await engine.submitRestore(id, dump);
    const ended = await until(async () => {
      const status = await engine.restoreStatus(id, task);
      return status.done ? status : undefined;
    });
    assert.deepEqual([ended.error, ended.statusCode], [message, 400]);
    assert.deepEqual(await refsOf(engine, id), { branches: [], tags: [] });
  }
});

async function* commitsOf(engine: Engine) {
  const { results } = await engine.log('repo', 'main');
  // Parents first.
  yield* [...results].reverse();
}

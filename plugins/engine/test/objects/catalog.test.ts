import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { SrvError, isSrvError } from '@srv/kernel';
import { MemoryKvStore, runCount } from '@srv/kernel/testing';
import { createTestMetrics } from '@srv/metrics/testing';
import fc from 'fast-check';
import { checksumKey } from '../../src/objects/metadata.js';
import { commit, contentOf, listPaths, newRepository, openEngine, untilDone } from './fixture.js';
import type { ErrorCode } from '@srv/kernel';

const fails = (code: ErrorCode, text: RegExp) => (error: unknown) => isSrvError(error, code) && text.test(error.message);

describe('objects', () => {
  it('are put, read, copied, deleted, and their metadata replaced', async t => {
    const { engine } = await openEngine(t);
    await newRepository(engine);
    const entry = await engine.putObject('repo', 'main', 'a b/ü+%.txt', Readable.from([Buffer.from('hel'), Buffer.from('lo')]), {
      metadata: { k: 'v' },
      contentType: 'text/plain',
    });
    assert.deepEqual([entry.size, entry.etag, entry.contentType], [5, '5d41402abc4b2a76b9719d911017c592', 'text/plain']);
    assert.match(entry.address, /^data\/[0-9a-v]{20}\/[0-9a-v]{20}$/);
    assert.equal(await contentOf(engine, 'repo', 'main', 'a b/ü+%.txt'), 'hello');
    await engine.commit('repo', 'main', commit);
    const copy = await engine.copyObject('repo', { ref: 'main', path: 'a b/ü+%.txt' }, { branch: 'main', path: 'copy' });
    // Nothing is copied, and each path changes alone.
    assert.equal(copy.address, entry.address);
    assert.deepEqual(copy.metadata, { k: 'v' });
    await engine.setObjectMetadata('repo', 'main', 'copy', { other: 'x' });
    assert.deepEqual((await engine.getEntry('repo', 'main', 'copy')).metadata, { other: 'x' });
    await assert.rejects(engine.setObjectMetadata('repo', 'main', 'none', {}), fails('not_found', /none/));
    for (const condition of [{ ifMatch: 'another' }, { ifAbsent: true }, { holds: () => false }] as const)
      await assert.rejects(
        engine.setObjectMetadata('repo', 'main', 'copy', {}, { condition }),
        fails('precondition_failed', /path|failed/),
      );
    await engine.setObjectMetadata('repo', 'main', 'copy', {}, { condition: { holds: current => current?.etag === copy.etag } });
    assert.deepEqual((await engine.getEntry('repo', 'main', 'copy')).metadata, {});
    await engine.deleteObject('repo', 'main', 'copy');
    await engine.deleteObject('repo', 'main', 'never was');
    await assert.rejects(engine.getEntry('repo', 'main', 'copy'), fails('not_found', /"copy" at ref "main"/));
    await assert.rejects(engine.putObject('repo', 'main', '', Buffer.alloc(0)), fails('invalid', /missing path/));
    await assert.rejects(engine.putObject('repo', 'main', 'x'.repeat(1025), Buffer.alloc(0)), fails('invalid', /1025 bytes/));
    const failures = await engine.deleteObjects('repo', 'main', ['a b/ü+%.txt', '', 'none', 'y'.repeat(2000)]);
    assert.deepEqual(
      failures.map(f => f.path.length),
      [2000],
    );
    assert.deepEqual(await listPaths(engine, 'repo', 'main'), []);
  });

  it('which checksum a client sent makes no difference', async t => {
    const { engine } = await openEngine(t);
    await newRepository(engine);
    const put = (branch: string, metadata: Record<string, string>) => engine.putObject('repo', branch, 'a', Buffer.from('a'), { metadata });
    await put('main', { k: 'v', [checksumKey]: 'one' });
    await engine.commit('repo', 'main', commit);
    await put('main', { k: 'v', [checksumKey]: 'another' });
    await assert.rejects(engine.commit('repo', 'main', commit), fails('no_changes', /./));
    assert.equal((await engine.getEntry('repo', 'main', 'a')).metadata.k, 'v');
    await put('main', { k: 'w', [checksumKey]: 'another' });
    await engine.commit('repo', 'main', commit);
  });

  it('removes the object of a body that breaks off, and of a rejected write', async t => {
    const { engine, kernel } = await openEngine(t);
    await newRepository(engine);
    const block = kernel.services.get('block');
    const stored: string[] = [];
    const put = block.put.bind(block);
    block.put = async (pointer, ...rest) => {
      const result = await put(pointer, ...rest);
      stored.push(pointer.identifier);
      return result;
    };
    const broken = new Readable({
      read() {
        this.push(Buffer.from('some'));
        this.destroy(new Error('connection lost'));
      },
    });
    await assert.rejects(engine.putObject('repo', 'main', 'broken', broken), /connection lost/);
    await assert.rejects(engine.putObject('repo', 'main', 'short', Buffer.from('abc'), { size: 5 }), fails('invalid', /5|bytes/));
    await engine.putObject('repo', 'main', 'one', Buffer.from('1'), { condition: { ifAbsent: true } });
    await assert.rejects(
      engine.putObject('repo', 'main', 'one', Buffer.from('2'), { condition: { ifAbsent: true } }),
      fails('precondition_failed', /path already exists/),
    );
    assert.equal(stored.length, 1);
    const { etag } = await engine.getEntry('repo', 'main', 'one');
    await engine.putObject('repo', 'main', 'one', Buffer.from('3'), { condition: { ifMatch: `"${etag}"` } });
    await assert.rejects(
      engine.putObject('repo', 'main', 'one', Buffer.from('4'), { condition: { ifMatch: etag } }),
      fails('precondition_failed', /ETag/),
    );
  });
});

describe('listing', () => {
  it('pages with prefix and delimiter as a naive listing does', async t => {
    const { engine } = await openEngine(t, { 'committed.permanent.range_raggedness_entries': 5 });
    const segment = fc.constantFrom('a', 'b', 'a.', 'ab', 'ü', 'a b');
    const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map(parts => parts.join('/'));
    let number = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(path, { maxLength: 12 }),
        fc.uniqueArray(path, { maxLength: 8 }),
        fc.uniqueArray(path, { maxLength: 5 }),
        fc.constantFrom('', 'a', 'a/', 'b/a', 'ü/'),
        fc.constantFrom('', '/', 'b'),
        fc.integer({ min: 1, max: 4 }),
        async (committed, staged, deleted, prefix, delimiter, amount) => {
          const id = await newRepository(engine, `repo-${number++}`, ...committed);
          if (committed.length > 0) await engine.commit(id, 'main', commit);
          for (const p of staged) await engine.putObject(id, 'main', p, Buffer.from(`new ${p}`));
          for (const p of deleted) await engine.deleteObject(id, 'main', p);
          const visible = [...new Set([...committed, ...staged])]
            .filter(p => !deleted.includes(p))
            .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
          const expected = new Set(
            visible
              .filter(p => p.startsWith(prefix))
              .map(p => {
                const end = delimiter === '' ? -1 : p.indexOf(delimiter, prefix.length);
                return end < 0 ? p : p.slice(0, end + delimiter.length);
              }),
          );
          assert.deepEqual(await listPaths(engine, id, 'main', { prefix, delimiter, amount }), [...expected]);
        },
      ),
      { numRuns: runCount(20, 60) },
    );
  });

  it('lists differences of two refs and of uncommitted writes, grouped', async t => {
    const { engine } = await openEngine(t);
    await newRepository(engine, 'repo', 'a/1', 'a/2', 'b');
    await engine.commit('repo', 'main', commit);
    await engine.createBranch('repo', 'dev', 'main');
    await engine.putObject('repo', 'dev', 'a/1', Buffer.from('changed'));
    await engine.deleteObject('repo', 'dev', 'b');
    await engine.putObject('repo', 'dev', 'c', Buffer.from('c'));
    const uncommitted = await engine.diffUncommitted('repo', 'dev', { delimiter: '/' });
    assert.deepEqual(
      uncommitted.results.map(d => [d.type, d.kind, d.path]),
      [
        ['prefix_changed', 'common_prefix', 'a/'],
        ['removed', 'object', 'b'],
        ['added', 'object', 'c'],
      ],
    );
    assert.equal((await engine.diff('repo', 'main', 'dev$', { type: 'two_dot' })).results.length, 3);
    await engine.commit('repo', 'dev', commit);
    const page = await engine.diff('repo', 'main', 'dev', { amount: 2 });
    assert.deepEqual([page.results.map(d => d.path), page.hasMore, page.nextOffset], [['a/1', 'b'], true, 'b']);
    assert.deepEqual(
      (await engine.diff('repo', 'main', 'dev', { amount: 2, after: 'b' })).results.map(d => d.path),
      ['c'],
    );
    assert.deepEqual((await engine.diff('repo', 'dev', 'main')).results, []);
  });
});

describe('repositories', () => {
  it('claim their namespace', async t => {
    const { engine } = await openEngine(t);
    await newRepository(engine, 'one');
    const create = (storageNamespace: string, more = {}) => engine.createRepository({ id: 'two', storageNamespace, ...more });
    await assert.rejects(create('mem://bucket/one'), fails('invalid', /storage namespace already in use$/));
    await assert.rejects(create('mem://bucket/one/below'), fails('invalid', /overlaps the namespace of repository one/));
    await assert.rejects(create('s3://bucket/x'), fails('invalid', /failed to match required regex \^mem:\/\//));
    await assert.rejects(
      engine.createRepository({ id: 'one', storageNamespace: 'mem://other' }),
      fails('not_unique', /error creating repository: not unique/),
    );
    await create('mem://bucket/one', { bare: true });
    const page = await engine.listRepositories({ search: 'w' });
    assert.deepEqual(
      page.results.map(r => r.id),
      ['two'],
    );
  });

  it('are created by a repetition after a creation that broke off, in the same namespace', async t => {
    const { engine, kernel } = await openEngine(t);
    const kv = kernel.services.get('kv');
    const setIf = kv.setIf.bind(kv);
    let failures = 1;
    t.mock.method(kv, 'setIf', async (...args: Parameters<typeof setIf>) => {
      if (args[1].toString() === 'repos/repo' && failures-- > 0) throw new SrvError('unavailable', 'the database is away');
      return setIf(...args);
    });
    const set = kv.set.bind(kv);
    let isAway = true;
    t.mock.method(kv, 'set', async (...args: Parameters<typeof set>) => {
      if (isAway && args[1].toString().startsWith('claims/')) throw new SrvError('unavailable', 'the database is away');
      return set(...args);
    });
    const create = (id: string) => engine.createRepository({ id, storageNamespace: 'mem://bucket/repo' });
    await assert.rejects(create('repo'), fails('unavailable', /away/));
    isAway = false;
    await assert.rejects(create('repo'), fails('unavailable', /away/));
    await assert.rejects(create('other'), fails('invalid', /storage namespace already in use$/));
    await create('repo');
    await engine.deleteRepository('repo');
    await assert.rejects(create('repo'), fails('invalid', /storage namespace already in use$/));
  });
});

describe('a creation that is refused for its default branch', () => {
  it('leaves nothing in the namespace', async t => {
    const { engine } = await openEngine(t);
    const create = (defaultBranch: string) => engine.createRepository({ id: 'repo', storageNamespace: 'mem://bucket/repo', defaultBranch });
    await assert.rejects(create('my branch'), fails('invalid', /my branch/));
    await engine.createRepository({ id: 'other', storageNamespace: 'mem://bucket/repo' });
  });
});

describe('moving a prefix', () => {
  it('costs metadata only and refuses nonsense', async t => {
    const { engine, kernel } = await openEngine(t);
    await newRepository(engine, 'repo', 'old/a', 'old/b/c', 'older');
    await engine.commit('repo', 'main', commit);
    const before = await engine.getEntry('repo', 'main', 'old/a');
    const block = kernel.services.get('block');
    block.put = () => Promise.reject(new Error('the store was touched'));
    block.copy = () => Promise.reject(new Error('the store was touched'));
    assert.deepEqual(await engine.copyPrefix('repo', 'main', { from: 'old/', to: 'new/', move: true }), { objects: 2 });
    assert.deepEqual(await listPaths(engine, 'repo', 'main'), ['new/a', 'new/b/c', 'older']);
    assert.equal((await engine.getEntry('repo', 'main', 'new/a')).address, before.address);
    await assert.rejects(engine.copyPrefix('repo', 'main', { from: 'new/', to: 'new/x/' }), fails('invalid', /lies below/));
    await assert.rejects(engine.copyPrefix('repo', 'main', { from: 'none/', to: 'x/' }), fails('not_found', /none/));
  });

  it('keeps what is written to its source after the copies were compared with it', async t => {
    const { engine, kernel } = await openEngine(t);
    await newRepository(engine, 'repo', 'from/a', 'from/b');
    const kv = kernel.services.get('kv');
    const setIf = kv.setIf.bind(kv);
    let written: Promise<unknown> | undefined;
    // The first conditional write deletes a source.
    kv.setIf = async (...args) => {
      written ??= engine.putObject('repo', 'main', 'from/a', Buffer.from('new'));
      await written;
      return setIf(...args);
    };
    const move = engine.copyPrefix('repo', 'main', { from: 'from/', to: 'to/', move: true });
    await assert.rejects(move, fails('conflict', /^from\/a was changed while it was copied/));
    assert.ok(written);
    assert.equal(await contentOf(engine, 'repo', 'main', 'from/a'), 'new');
    assert.deepEqual(await listPaths(engine, 'repo', 'main'), ['from/a', 'to/b']);
  });

  it('upwards overwrites no other source', async t => {
    const { engine } = await openEngine(t);
    await newRepository(engine, 'repo', 'a/b/x', 'a/b/b/x', 'a/b/c');
    for (const move of [false, true])
      await assert.rejects(
        engine.copyPrefix('repo', 'main', { from: 'a/b/', to: 'a/', move }),
        fails('invalid', /^the copy of "a\/b\/b\/x" would be "a\/b\/x", below the source/),
      );
    assert.deepEqual(await listPaths(engine, 'repo', 'main'), ['a/b/b/x', 'a/b/c', 'a/b/x']);
    await engine.copyPrefix('repo', 'main', { from: 'a/b/b/', to: 'a/', move: true });
    await engine.copyPrefix('repo', 'main', { from: 'a/b/', to: 'a/', move: true });
    assert.deepEqual(await listPaths(engine, 'repo', 'main'), ['a/c', 'a/x']);
  });

  it('that ends with a conflict leaves its destination as it was', async t => {
    const { engine } = await openEngine(t);
    await newRepository(engine);
    const put = (path: string, text: string) => engine.putObject('repo', 'main', path, Buffer.from(text));
    const change = (write: () => Promise<unknown>) => async () => void (await write());
    for (const path of ['src', 'empty', 'dst']) await put(path, `${path} one`);
    await engine.deleteObject('repo', 'main', 'empty');
    const copy = (to: string, meanwhile: () => Promise<void>) =>
      assert.rejects(
        engine.copyPrefix('repo', 'main', { from: 'src', to, exact: true, confirm: meanwhile }),
        fails('conflict', /^src was changed while it was copied/),
      );
    await copy(
      'dst',
      change(() => put('src', 'src two')),
    );
    assert.equal(await contentOf(engine, 'repo', 'main', 'dst'), 'dst one');
    await copy(
      'empty',
      change(() => put('src', 'src three')),
    );
    await assert.rejects(engine.getEntry('repo', 'main', 'empty'), fails('not_found', /empty/));
  });
});

describe('tasks', () => {
  it('commit and merge asynchronously', async t => {
    const { engine } = await openEngine(t);
    await newRepository(engine, 'repo', 'a');
    const id = await engine.submitCommit('repo', 'main', commit);
    const done = await untilDone(() => engine.commitStatus('repo', id));
    assert.equal(done.commit?.message, 'message');
    const empty = await engine.submitCommit('repo', 'main', commit);
    const again = await untilDone(() => engine.commitStatus('repo', empty));
    assert.match(again.error ?? '', /no changes/);
    await assert.rejects(engine.mergeStatus('repo', id), fails('not_found', /task/));
    await assert.rejects(engine.submitCommit('repo', 'none', commit), fails('not_found', /none/));
    await engine.createBranch('repo', 'dev', 'main');
    await engine.putObject('repo', 'dev', 'b', Buffer.from('b'));
    await engine.commit('repo', 'dev', commit);
    const merging = await engine.submitMerge('repo', 'dev', 'main', { committer: 'm' });
    const merged = await untilDone(() => engine.mergeStatus('repo', merging));
    assert.equal(merged.reference, (await engine.getBranch('repo', 'main')).commitId);
  });

  it('refs are dumped and restored into a bare repository', async t => {
    const { engine, kernel } = await openEngine(t);
    await newRepository(engine, 'repo', 'a', 'b');
    await engine.commit('repo', 'main', commit);
    await engine.createBranch('repo', 'hidden', 'main', { hidden: true });
    await engine.createTag('repo', 'v1', 'main');
    const id = await engine.submitDump('repo');
    const { refs } = await untilDone(() => engine.dumpStatus('repo', id));
    assert.ok(refs);
    assert.deepEqual(await engine.dumpRefs('repo'), refs);
    await assert.rejects(engine.restoreRefs('repo', refs), fails('invalid', /can only restore into a bare repository/));
    await engine.createRepository({ id: 'copy', storageNamespace: 'mem://bucket/repo', bare: true });
    await engine.restoreRefs('copy', refs);
    assert.equal((await engine.getTag('copy', 'v1')).commitId, (await engine.getTag('repo', 'v1')).commitId);
    assert.deepEqual(
      (await engine.listBranches('copy', { showHidden: true })).results.map(b => [b.id, b.hidden]),
      [
        ['hidden', true],
        ['main', false],
      ],
    );
    assert.equal(await contentOf(engine, 'copy', 'main', 'a'), 'a');
    const manifest = await kernel.services
      .get('block')
      .get({ namespace: 'mem://bucket/repo', identifier: '_srv/refs_manifest.json', identifierType: 1 });
    const text = (await manifest.toArray()).join('');
    assert.deepEqual(JSON.parse(text), {
      branches_meta_range_id: refs.branches,
      commits_meta_range_id: refs.commits,
      tags_meta_range_id: refs.tags,
    });
    await engine.createRepository({ id: 'async', storageNamespace: 'mem://bucket/repo', bare: true });
    const restoring = await engine.submitRestore('async', refs);
    assert.equal((await untilDone(() => engine.restoreStatus('async', restoring))).error, undefined);
    assert.equal(await contentOf(engine, 'async', 'v1', 'b'), 'b');
  });

  it('a task whose server is gone is reported failed', async t => {
    const kv = new MemoryKvStore();
    const { plugin: measuring, scrape } = createTestMetrics();
    const { engine } = await openEngine(t, {}, kv, [measuring]);
    await newRepository(engine, 'repo', 'a');
    const id = await engine.submitCommit('repo', 'main', commit);
    await untilDone(() => engine.commitStatus('repo', id));
    const { encodeTask, decodeTask } = await import('../../src/objects/messages/task.js');
    const repository = await engine.getRepository('repo');
    const [partition, key] = [`repo-${repository.instanceUid}`, Buffer.from(`tasks/${id}`)];
    const stored = await kv.get(partition, key);
    assert.ok(stored);
    await kv.set(
      partition,
      key,
      encodeTask({ ...decodeTask(stored.value), done: false, owner: 'c0000000000000000000', updatedAt: new Date(Date.now() - 60_000) }),
    );
    const status = await engine.commitStatus('repo', id);
    assert.deepEqual([status.done, status.statusCode], [true, 408]);
    assert.match(status.error ?? '', /no longer available/);
    assert.deepEqual(await engine.commitStatus('repo', id), status);
    const page = await scrape();
    const ended = ['success', 'failure'].map(outcome =>
      page.value('lakefs_async_operation_duration_seconds_count', { operation: 'commit_async', status: outcome }),
    );
    assert.deepEqual(ended, [1, 0]);
    assert.equal(page.value('lakefs_async_operations_running', { operation: 'commit_async' }), 0);
    assert.equal(page.value('lakefs_async_operations_expired_total', { operation: 'commit_async' }), 1);
    assert.equal(page.value('srv_async_operations_expired_total', { operation: 'commit_async' }), 1);
  });
});

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import blockLocalConfig from '@srv/block-local/config';
import blockLocal from '@srv/block-local/plugin';
import engineConfig from '@srv/engine/config';
import { decodeEntry } from '@srv/engine/objects/entry';
import engine from '@srv/engine/plugin';
import { SrvError, isSrvError } from '@srv/kernel';
import { HeldPeak, MemoryKvStore, createTestKernel, until } from '@srv/kernel/testing';
import { ProtoWriter, partitionOf, pathKey } from '@srv/lib-records';
import { decodeImport, encodeImport } from '../src/server/import-record.js';
import plugin from '../src/server/index.js';
import type { TestContext } from 'node:test';
import type { Engine } from '@srv/engine/contract';
import type { ErrorCode, Kernel } from '@srv/kernel';
import type { BlockStore, WalkedObject } from '@srv/lib-stores/block';
import type { ImportStatus, Imports } from '../src/contract.js';
import type { ImportRecord } from '../src/server/import-record.js';
import type { ImportService } from '../src/server/service.js';

interface Fixture {
  readonly engine: Engine;
  readonly imports: Imports;
  readonly block: BlockStore;
  /** Folder outside the store that may be imported from. */
  readonly outside: string;
  readonly kernel: Kernel;
  readonly home: Home;
}

/** A database, which does not end with a server. */
class LastingKv extends MemoryKvStore {
  override async close(): Promise<void> {}
}

/** The database during a fault that passes: writes of records of imports fail. */
class FaultyKv extends LastingKv {
  /** Writes that fail from now on. */
  failures = 0;

  override async setIf(...args: Parameters<LastingKv['setIf']>): Promise<boolean> {
    if (args[1].toString().startsWith('imports/') && this.failures-- > 0) throw new Error('connection reset');
    return super.setIf(...args);
  }
}

/** What outlives a server. */
interface Home {
  readonly folder: string;
  readonly kv: LastingKv;
  /** Servers that run. */
  readonly kernels: Set<Kernel>;
}

async function open(t: TestContext, kv = new LastingKv()): Promise<Fixture> {
  const home: Home = { folder: await mkdtemp(join(tmpdir(), 'import-')), kv, kernels: new Set() };
  t.after(async () => {
    for (const kernel of home.kernels) await kernel.stop();
    await rm(home.folder, { recursive: true, force: true });
  });
  await mkdir(join(home.folder, 'outside'));
  const fixture = await start(home);
  await fixture.engine.createRepository({ id: 'repo', storageNamespace: 'local://repo' });
  return fixture;
}

/** One more server. */
async function start(home: Home): Promise<Fixture> {
  const { folder, kv, kernels } = home;
  const outside = join(folder, 'outside');
  const kernel = await createTestKernel({
    kv,
    plugins: [
      { plugin: blockLocal, section: blockLocalConfig },
      { plugin: engine, section: engineConfig },
      { plugin, requires: ['engine'] },
    ],
    config: {
      'blockstore.type': 'local',
      'blockstore.local.path': join(folder, 'block'),
      'blockstore.local.import_enabled': true,
      'blockstore.local.allowed_external_prefixes': [outside],
      'committed.warm_up': false,
      'committed.local_cache.dir': join(folder, 'cache'),
    },
  });
  kernels.add(kernel);
  const { services } = kernel;
  return { engine: services.get('engine'), imports: services.get('imports'), block: services.get('block'), outside, kernel, home };
}

async function end({ kernel, home }: Fixture): Promise<void> {
  home.kernels.delete(kernel);
  await kernel.stop();
}

/** The stored record of an import, and a way to change it. */
async function stored({ engine, home: { kv } }: Fixture, id: string) {
  const [partition, key] = [partitionOf(await engine.getRepository('repo')), Buffer.from(`imports/${id}`)];
  const found = await kv.get(partition, key);
  assert.ok(found);
  const record = decodeImport(found.value);
  const change = (changed: Partial<ImportRecord>) => kv.set(partition, key, encodeImport({ ...record, ...changed }));
  return { record, change };
}

/** Has something happen when the commit of an import is made and the import does not know yet. */
function afterCommit({ engine }: Fixture, happen: () => Promise<void>): void {
  const add = engine.import.bind(engine);
  engine.import = async (...args) => {
    const commit = await add(...args);
    await happen();
    return commit;
  };
}

/** An import that walks on and on until its server is stopped, and is left as it then is. */
async function interrupted(fixture: Fixture): Promise<string> {
  const { imports, block, outside } = fixture;
  block.walk = async function* (): AsyncGenerator<readonly WalkedObject[]> {
    for (let i = 0; ; i++) {
      yield [walked(i)];
      await new Promise(resolve => setTimeout(resolve, 2));
    }
  };
  const id = await imports.start('repo', 'main', {
    ...request(`local://${outside}/set`, 'data'),
    message: 'mine',
    metadata: { a: 'b' },
    user: 'ann',
  });
  await end(fixture);
  return id;
}

async function fill(folder: string, ...paths: string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), path);
  }
}

function finished(imports: Imports, id: string): Promise<ImportStatus> {
  return until(async () => {
    const status = await imports.status('repo', id);
    return status.completed || status.error ? status : undefined;
  });
}

async function paths(engine: Engine): Promise<string[]> {
  return (await engine.list('repo', 'main', { amount: 1000 })).results.map(item => item.path);
}

const fails = (code: ErrorCode, text: RegExp) => (error: unknown) => isSrvError(error, code) && text.test(error.message);
const request = (path: string, destination: string, type: 'common_prefix' | 'object' = 'common_prefix') => ({
  committer: 'i',
  paths: [{ type, path, destination }],
});

describe('import', () => {
  it('replaces exactly the destination, by one commit of one parent', async t => {
    const { engine, imports, outside } = await open(t);
    for (const path of ['data/old', 'database/x', 'other', 'one', 'one2']) await engine.putObject('repo', 'main', path, Buffer.from(path));
    const { id: parent } = await engine.commit('repo', 'main', { committer: 'c', message: 'm' });
    await fill(outside, 'set/b', 'set/a/1', 'set/a.txt', 'single');
    const status = await finished(imports, await imports.start('repo', 'main', request(`local://${outside}/set`, 'data')));
    assert.deepEqual([status.error, status.completed, status.ingestedObjects], [undefined, true, 3]);
    assert.deepEqual(await paths(engine), ['data/a.txt', 'data/a/1', 'data/b', 'database/x', 'one', 'one2', 'other']);
    assert.deepEqual(
      [status.commit?.parents, status.commit?.message, status.commit?.metadata],
      [[parent], 'Import objects', { '.lakefs.merge.strategy': 'source-wins' }],
    );
    assert.equal(status.metarangeId, status.commit?.metarangeId);
    const entry = await engine.getEntry('repo', 'main', 'data/b');
    assert.equal(entry.addressType, 2);
    assert.equal((await (await engine.open('repo', entry)).toArray()).join(''), 'set/b');
    await finished(imports, await imports.start('repo', 'main', request(`local://${outside}/single`, 'one', 'object')));
    assert.deepEqual((await paths(engine)).slice(-4), ['database/x', 'one', 'one2', 'other']);
    assert.equal((await (await engine.open('repo', await engine.getEntry('repo', 'main', 'one'))).toArray()).join(''), 'single');
    assert.ok(Number((await engine.getRepositoryMetadata('repo'))['.lakefs.last.import.timestamp']) > 1_000_000_000);
  });

  it('takes empty objects and folder markers, but no path without a name', async t => {
    const { engine, imports, block, outside } = await open(t);
    const walk = block.walk.bind(block);
    const object = (relativeKey: string, size: number): WalkedObject => ({
      ...walked(0),
      relativeKey,
      address: `local://${outside}/${relativeKey}`,
      size,
    });
    block.walk = async function* () {
      yield [object('', 0), object('a/', 0), object('a/b/', 0), object('a/b/empty', 0), object('a/b/full', 1), object('c/', 7)];
    };
    await finished(imports, await imports.start('repo', 'main', request(`local://${outside}/`, '')));
    assert.deepEqual(await paths(engine), ['a/', 'a/b/', 'a/b/empty', 'a/b/full', 'c/']);
    await finished(imports, await imports.start('repo', 'main', request(`local://${outside}/`, 'x')));
    assert.deepEqual((await paths(engine)).slice(-6), ['x/', 'x/a/', 'x/a/b/', 'x/a/b/empty', 'x/a/b/full', 'x/c/']);
    block.walk = walk;
    await mkdir(outside, { recursive: true });
    await writeFile(join(outside, 'nothing'), '');
    for (const destination of ['single', 'single/']) {
      const status = await finished(
        imports,
        await imports.start('repo', 'main', request(`local://${outside}/nothing`, destination, 'object')),
      );
      assert.deepEqual([status.error, status.ingestedObjects], [undefined, 1], destination);
      assert.equal((await engine.getEntry('repo', 'main', destination)).size, 0);
    }
  });

  it('keeps the time of a file to the nanosecond', async t => {
    const { engine, imports, outside } = await open(t);
    await fill(outside, 'set/f');
    await utimes(join(outside, 'set/f'), 1_700_000_000.123456, 1_700_000_000.123456);
    const { mtimeNs } = await stat(join(outside, 'set/f'), { bigint: true });
    assert.notEqual(mtimeNs % 1_000_000n, 0n, 'the file system keeps no more than milliseconds');
    await finished(imports, await imports.start('repo', 'main', request(`local://${outside}/set`, 'data')));
    const repository = await engine.getRepository('repo');
    const timeOf = async (): Promise<bigint> => {
      const view = await engine.view(repository, 'main');
      await view.seek(pathKey('data/f'));
      const found = view.current?.value;
      view.close();
      assert.ok(found);
      const { lastModified, lastModifiedNanos = 0 } = decodeEntry(found.data);
      return BigInt(lastModified.getTime()) * 1_000_000n + BigInt(lastModifiedNanos);
    };
    assert.equal(await timeOf(), mtimeNs);
    // Written again with other metadata, it keeps the time.
    await engine.setObjectMetadata('repo', 'main', 'data/f', { a: 'b' });
    assert.equal(await timeOf(), mtimeNs);
  });

  it('refuses sources around the namespace, dirty branches, unknown ones', async t => {
    const { engine, imports, outside } = await open(t);
    await assert.rejects(
      imports.start('repo', 'main', request('local://repo/data', 'x')),
      fails('invalid', /invalid import source "local:\/\/repo\/data".*inside the storage namespace/),
    );
    await assert.rejects(imports.start('repo', 'main', request('s3://bucket/x', 'x')), fails('invalid', /must match/));
    await assert.rejects(imports.start('repo', 'none', request(`local://${outside}`, 'x')), fails('not_found', /none/));
    await engine.putObject('repo', 'main', 'dirt', Buffer.from('d'));
    await assert.rejects(imports.start('repo', 'main', request(`local://${outside}`, 'x')), fails('dirty_branch', /uncommitted changes/));
    await assert.rejects(imports.status('repo', 'none'), fails('not_found', /none/));
  });

  it('refuses every source that lists storage of the repository, and no other', async t => {
    const { engine, imports, block } = await open(t);
    await engine.createRepository({ id: 'deep', storageNamespace: 'local://deep/impns' });
    const ended = async (path: string, type: 'common_prefix' | 'object' = 'common_prefix'): Promise<string | undefined> => {
      const id = await imports.start('deep', 'main', request(path, 'x', type));
      for (;;) {
        const { completed, error } = await imports.status('deep', id);
        if (completed || error) return error;
        await new Promise(resolve => setTimeout(resolve, 10));
      }
    };
    const base = block.resolve(at('local://deep', 'impns')).slice(0, -'/deep/impns'.length);
    for (const root of [base, 'local:/']) {
      for (const path of ['deep/impns', 'deep/impns/', 'deep', 'deep/', '', 'deep/impns/data'])
        await assert.rejects(
          imports.start('deep', 'main', request(`${root}/${path}`, 'x')),
          fails('invalid', /the storage namespace of the repository/),
          path,
        );
      const single = request(`${root}/deep/impns/dummy`, 'x', 'object');
      await assert.rejects(imports.start('deep', 'main', single), fails('invalid', /inside the storage/));
    }
    for (const name of ['impns2', 'imp', 'other']) await block.put(at('local://deep', `${name}/f`), Buffer.from('f'));
    for (const path of ['deep/impns2', 'deep/imp', 'deep/imp/', 'deep/other/'])
      assert.equal(await ended(`${base}/${path}`), undefined, path);

    // However the source is spelled: what counts is what the store lists.
    block.walk = async function* (): AsyncGenerator<readonly WalkedObject[]> {
      yield [{ ...walked(1), address: `${base}/deep/impns/_srv/x` }];
    };
    assert.match(
      (await ended(`${base}/deep/other`)) ?? '',
      /lists local:\S+\/deep\/impns\/_srv\/x, which is storage of the repository itself/,
    );
  });

  it('refuses storage of a repository by another name of its folder', async t => {
    const { engine, imports, outside, home } = await open(t);
    await engine.putObject('repo', 'main', 'x', Buffer.from('x'));
    await engine.commit('repo', 'main', { committer: 'c', message: 'm' });
    await symlink(join(home.folder, 'block'), join(outside, 'disk'));
    await symlink(join(home.folder, 'block', 'repo'), join(outside, 'repo'));
    await fill(outside, 'set/a');
    for (const path of ['disk', 'disk/', 'disk/repo/', 'disk/repo/data/', 'disk/repo/_srv/dummy', 'repo/', 'repo/data/'])
      for (const type of ['common_prefix', 'object'] as const) {
        const { error } = await finished(imports, await imports.start('repo', 'main', request(`local://${outside}/${path}`, 'in', type)));
        assert.match(error ?? '', /^import error: .*forbidden; it leads into .*; use local:\S*\/block/, path);
      }
    const { error } = await finished(imports, await imports.start('repo', 'main', request(`local://${outside}/`, 'in')));
    assert.equal(error, undefined);
    assert.deepEqual(await paths(engine), ['in/set/a', 'x']);
  });

  it('a missing object and a failing walk are reported, nothing is committed', async t => {
    const { engine, imports, outside, block } = await open(t);
    const before = (await engine.getBranch('repo', 'main')).commitId;
    const missing = await finished(imports, await imports.start('repo', 'main', request(`local://${outside}/none`, 'x', 'object')));
    assert.match(missing.error ?? '', /^import error: .*none/);
    block.walk = async function* (): AsyncGenerator<readonly WalkedObject[]> {
      yield [walked(1)];
      throw new SrvError('slow_down', 'listing was throttled');
    };
    const failed = await finished(imports, await imports.start('repo', 'main', request(`local://${outside}`, 'x')));
    assert.deepEqual([failed.error, failed.completed], ['import error: listing was throttled', false]);
    assert.equal((await engine.getBranch('repo', 'main')).commitId, before);
  });

  it('can be cancelled, again, but not once it is completed', async t => {
    const { imports, outside, block } = await open(t);
    const walk = block.walk.bind(block);
    block.walk = async function* (): AsyncGenerator<readonly WalkedObject[]> {
      for (let i = 0; ; i++) {
        yield [walked(i)];
        await new Promise(resolve => setTimeout(resolve, 2));
      }
    };
    const id = await imports.start('repo', 'main', request(`local://${outside}`, 'x'));
    await assert.rejects(imports.cancel('repo', 'other', id), fails('not_found', /import/));
    await imports.cancel('repo', 'main', id);
    await imports.cancel('repo', 'main', id);
    const status = await finished(imports, id);
    assert.deepEqual([status.error, status.completed], ['import error: Canceled', false]);
    block.walk = walk;
    await fill(outside, 'f');
    const done = await imports.start('repo', 'main', request(`local://${outside}`, 'x'));
    await finished(imports, done);
    await assert.rejects(imports.cancel('repo', 'main', done), fails('conflict', /completed already/));
  });

  it('ends with its repository', async t => {
    const { imports, engine, outside, block } = await open(t);
    let isOver = false;
    block.walk = async function* (): AsyncGenerator<readonly WalkedObject[]> {
      try {
        for (let i = 0; ; i++) {
          yield [walked(i)];
          await new Promise(resolve => setTimeout(resolve, 2));
        }
      } finally {
        isOver = true;
      }
    };
    await imports.start('repo', 'main', request(`local://${outside}`, 'x'));
    await engine.deleteRepository('repo');
    await until(() => isOver || undefined);
  });

  it('keeps what it takes from being purged until its commit shows that', async t => {
    const { imports, engine, outside, kernel } = await open(t);
    await fill(outside, 'set/a', 'other/b');
    const purge = (folder: string, since = new Date()) =>
      kernel.hooks.guardPurge.promise({ roots: [`local://${outside}/${folder}`], since });
    const began = new Date();
    const refused = fails('conflict', /^import \w+ of repository repo takes objects from local:\/\/.*\/set; repeat when it has ended/);
    kernel.hooks.event.for('pre-commit').tapPromise('test', async () => {
      for (const taken of ['set/', 'set/below/', '']) await assert.rejects(purge(taken), refused);
      await purge('other/');
    });
    const id = await imports.start('repo', 'main', request(`local://${outside}/set`, 'x'));
    assert.equal((await finished(imports, id)).error, undefined);
    assert.deepEqual(await paths(engine), ['x/a']);
    await assert.rejects(purge('set/', began), fails('conflict', /has ended only now; repeat the purge/));
    await purge('set/', new Date(Date.now() + 1));
  });

  it('resumes after its server has stopped in the middle of it', async t => {
    const before = await open(t);
    await fill(before.outside, 'set/a', 'set/b');
    const id = await interrupted(before);
    const [partition, key] = [partitionOf(await before.engine.getRepository('repo')), Buffer.from(`imports/${id}`)];
    const newer = new ProtoWriter().string(1500, 'from a newer release').finish();
    await before.home.kv.set(partition, key, Buffer.concat([encodeImport((await stored(before, id)).record), newer]));
    const after = await start(before.home);
    const status = await finished(after.imports, id);
    assert.deepEqual([status.error, status.completed, status.ingestedObjects], [undefined, true, 2]);
    assert.ok((await before.home.kv.get(partition, key))?.value.includes(newer), 'fields of a newer release stay');
    assert.deepEqual([status.commit?.message, status.commit?.metadata], ['mine', { a: 'b', '.lakefs.merge.strategy': 'source-wins' }]);
    assert.deepEqual(await paths(after.engine), ['data/a', 'data/b']);
    const { record } = await stored(after, id);
    assert.equal(record.order, undefined, 'what has ended is stored as others store it');
    assert.deepEqual(encodeImport(decodeImport(encodeImport(record))), encodeImport(record));
  });

  it('resumes also when the imports of another repository cannot be read', async t => {
    const before = await open(t);
    await fill(before.outside, 'set/a');
    const broken = await before.engine.createRepository({ id: 'broken', storageNamespace: 'local://broken' });
    await before.home.kv.set(partitionOf(broken), Buffer.from('imports/x'), Buffer.from('not a record'));
    const id = await interrupted(before);
    const after = await start(before.home);
    assert.equal((await stored(after, id)).record.completed, false);
    // Without a request for its status, which would take it over, too.
    await until(async () => (await stored(after, id)).record.completed);
  });

  it('is not done twice when its server ended between the commit and its record', async t => {
    const before = await open(t);
    await fill(before.outside, 'set/a');
    const id = await interrupted(before);
    const second = await start(before.home);
    const { commit } = await finished(second.imports, id);
    assert.ok(commit);
    // On top of it, one with a date of long ago.
    const { id: head } = await second.engine.commit('repo', 'main', {
      committer: 'c',
      message: 'old',
      allowEmpty: true,
      date: new Date(0),
    });
    await end(second);
    await (await stored(second, id)).change({
      completed: false,
      order: {
        branch: 'main',
        request: { ...request(`local://${before.outside}/set`, 'data'), message: 'mine' },
        run: 'x',
        commitDate: commit.creationDate,
      },
    });
    const third = await start(before.home);
    const status = await finished(third.imports, id);
    assert.deepEqual([status.completed, status.ingestedObjects, status.commit?.id], [true, 1, commit.id]);
    assert.equal((await third.engine.getBranch('repo', 'main')).commitId, head);
  });

  it('has succeeded once its commit is made, though that cannot be stored for a moment', async t => {
    const kv = new FaultyKv();
    const fixture = await open(t, kv);
    const { engine, imports, outside } = fixture;
    await fill(outside, 'set/a');
    afterCommit(fixture, async () => {
      kv.failures = 1;
    });
    const status = await finished(imports, await imports.start('repo', 'main', request(`local://${outside}/set`, 'data')));
    const { commitId } = await engine.getBranch('repo', 'main');
    assert.deepEqual([status.error, status.completed, status.commit?.id], [undefined, true, commitId]);
    assert.ok(kv.failures <= 0);
    assert.ok((await engine.getRepositoryMetadata('repo'))['.lakefs.last.import.timestamp']);
  });

  it('has succeeded once its commit is made, though the answer to that was lost', async t => {
    const fixture = await open(t);
    const { engine, imports, outside } = fixture;
    await fill(outside, 'set/a');
    afterCommit(fixture, async () => {
      throw new Error('connection reset');
    });
    const status = await finished(imports, await imports.start('repo', 'main', request(`local://${outside}/set`, 'data')));
    assert.deepEqual([status.error, status.commit?.id], [undefined, (await engine.getBranch('repo', 'main')).commitId]);
  });

  it('is found by the next server when its commit was made and the database was away until the server stopped', async t => {
    const kv = new FaultyKv();
    const before = await open(t, kv);
    await fill(before.outside, 'set/a');
    const committed = new Promise<void>(resolve =>
      afterCommit(before, async () => {
        kv.failures = Number.POSITIVE_INFINITY;
        resolve();
      }),
    );
    const id = await before.imports.start('repo', 'main', request(`local://${before.outside}/set`, 'data'));
    await committed;
    await end(before);
    const { record, change } = await stored(before, id);
    assert.deepEqual([record.completed, record.error], [false, '']);
    assert.ok(record.order);
    // However often it was interrupted.
    await change({ order: { ...record.order, restarts: 5 } });
    kv.failures = 0;
    const after = await start(before.home);
    const status = await finished(after.imports, id);
    assert.deepEqual([status.error, status.commit?.id], [undefined, (await after.engine.getBranch('repo', 'main')).commitId]);
    assert.deepEqual(await paths(after.engine), ['data/a']);
  });

  it('fails when its branch goes before its commit', async t => {
    const fixture = await open(t);
    const { engine, imports, outside } = fixture;
    await fill(outside, 'set/a');
    await engine.createBranch('repo', 'short', 'main');
    const add = engine.import.bind(engine);
    t.mock.method(engine, 'import', async (...args: Parameters<typeof add>) => {
      await engine.deleteBranch('repo', 'short');
      return add(...args);
    });
    const { error } = await finished(imports, await imports.start('repo', 'short', request(`local://${outside}/set`, 'data')));
    assert.match(error ?? '', /^import error: .*short/);
  });

  it('is left to another server while that shows signs of life, and taken over afterwards', async t => {
    const before = await open(t, new LastingKv('postgres'));
    await fill(before.outside, 'set/a');
    const id = await interrupted(before);
    const after = await start(before.home);
    await new Promise(resolve => setTimeout(resolve, 50));
    const living = await after.imports.status('repo', id);
    assert.deepEqual([living.completed, living.error], [false, undefined]);
    assert.deepEqual(await paths(after.engine), []);
    await (await stored(after, id)).change({ updatedAt: new Date(Date.now() - 61_000) });
    assert.equal((await after.imports.status('repo', id)).error, undefined);
    assert.equal((await finished(after.imports, id)).completed, true);
  });

  it('fails when it has been interrupted again and again', async t => {
    const before = await open(t);
    const id = await interrupted(before);
    const { record, change } = await stored(before, id);
    assert.ok(record.order);
    await change({ order: { ...record.order, restarts: 5 } });
    const { imports } = await start(before.home);
    const { error } = await finished(imports, id);
    assert.equal(error, 'import error: it was interrupted 6 times; start it again');
  });

  it('stops when another server has taken it over', async t => {
    const fixture = await open(t);
    const { imports, block, outside } = fixture;
    let walks = true;
    block.walk = async function* (): AsyncGenerator<readonly WalkedObject[]> {
      while (walks) await new Promise(resolve => setTimeout(resolve, 2));
      yield [walked(1)];
    };
    const id = await imports.start('repo', 'main', request(`local://${outside}`, 'x'));
    const { record, change } = await stored(fixture, id);
    assert.ok(record.order);
    await change({ order: { ...record.order, run: 'of another' } });
    walks = false;
    await end(fixture);
    const left = (await stored(fixture, id)).record;
    assert.deepEqual([left.completed, left.error, left.order?.run], [false, '', 'of another']);
    assert.deepEqual(await paths((await start(fixture.home)).engine), []);
  });

  it('that a server of another make has left is reported as failed', async t => {
    const fixture = await open(t);
    const id = await interrupted(fixture);
    const { order, ...foreign } = (await stored(fixture, id)).record;
    assert.ok(order);
    const { kv } = fixture.home;
    const repository = await fixture.engine.getRepository('repo');
    await kv.set(
      partitionOf(repository),
      Buffer.from(`imports/${id}`),
      encodeImport({ ...foreign, updatedAt: new Date(Date.now() - 61_000) }),
    );
    const { imports } = await start(fixture.home);
    assert.equal((await imports.status('repo', id)).error, 'import error: the server that ran the import is gone; start it again');
  });

  it('is forgotten a day after its last sign of life', async t => {
    const { imports, outside, engine, kernel } = await open(t);
    await fill(outside, 'f');
    const id = await imports.start('repo', 'main', request(`local://${outside}`, 'x'));
    await finished(imports, id);
    const repository = await engine.getRepository('repo');
    const service = imports as ImportService;
    await service.clean(repository);
    await imports.status('repo', id);
    const kv = kernel.services.get('kv');
    const [partition, key] = [partitionOf(repository), Buffer.from(`imports/${id}`)];
    const stored = await kv.get(partition, key);
    assert.ok(stored);
    await kv.set(partition, key, encodeImport({ ...decodeImport(stored.value), updatedAt: new Date(Date.now() - 90_000_000) }));
    await service.clean(repository);
    await assert.rejects(imports.status('repo', id), fails('not_found', /import/));
  });

  it('holds a page at a time, however many objects there are', async t => {
    const { engine, imports, outside, block } = await open(t);
    const count = 100_000;
    const held = new HeldPeak(10_000);
    block.walk = async function* (): AsyncGenerator<readonly WalkedObject[]> {
      for (let i = 0; i < count; i += 1000) {
        held.pass(1000);
        yield Array.from({ length: 1000 }, (_, j) => walked(i + j));
      }
    };
    const status = await finished(imports, await imports.start('repo', 'main', request(`local://${outside}`, 'big')));
    assert.equal(status.ingestedObjects, count);
    assert.ok(held.growth < 16 << 20, `${held.growth} bytes were held`);
    assert.equal((await engine.list('repo', 'main', { prefix: 'big/0099999' })).results.length, 1);
  });
});

const at = (namespace: string, identifier: string) => ({ namespace, identifier, identifierType: 1 as const });

function walked(i: number): WalkedObject {
  const relativeKey = String(i).padStart(7, '0');
  return { relativeKey, address: `local:///outside/${relativeKey}`, size: 1, etag: 'e', lastModified: new Date(0) };
}

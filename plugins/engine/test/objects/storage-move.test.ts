/** Moves of repositories from one store to another, over the whole engine: with writers, with movers that die, and given up. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import blockMem from '@srv/block-mem/plugin';
import { SrvError, isSrvError } from '@srv/kernel';
import { MemoryKvStore, createTestKernel, rejectsWith, runCount, seededRandom, until } from '@srv/kernel/testing';
import { identifierType, joinStores } from '@srv/lib-stores/block';
import section from '../../src/config.js';
import plugin from '../../src/server/index.js';
import { MortalKv } from '../refs/hostile-kv.js';
import { commit } from './fixture.js';
import type { TestContext } from 'node:test';
import type { Kernel, KvStore } from '@srv/kernel';
import type { SeededRandom } from '@srv/kernel/testing';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Engine, StorageMove } from '../../src/contract.js';

const [old, next] = ['mem://old/repo', 'mem://new/repo'];
const target = { storageId: 'two', storageNamespace: next };

/** Two stores in memory, and a database; servers come and go. */
class World {
  /** Of several servers. */
  readonly kv = new MemoryKvStore('local', true);
  readonly block: BlockStore;
  readonly #t: TestContext;

  private constructor(t: TestContext, block: BlockStore) {
    this.#t = t;
    this.block = block;
  }

  static async open(t: TestContext): Promise<World> {
    const kernels = [
      await createTestKernel({ plugins: [{ plugin: blockMem }] }),
      await createTestKernel({ plugins: [{ plugin: blockMem }] }),
    ];
    t.after(() => Promise.all(kernels.map(kernel => kernel.stop())));
    const [one, two] = kernels.map(kernel => kernel.services.get('block')) as [BlockStore, BlockStore];
    const joined = joinStores([
      { id: 'one', description: '', isDefault: true, store: one },
      { id: 'two', description: '', isDefault: false, store: two },
    ]);
    return new World(t, joined);
  }

  /** A server; its end leaves the stores open. */
  async server(kv: KvStore = this.kv, block: BlockStore = this.block, remembers = '30ms'): Promise<{ engine: Engine; kernel: Kernel }> {
    const folder = await mkdtemp(join(tmpdir(), 'move-'));
    const kernel = await createTestKernel({
      plugins: [{ plugin, section }],
      config: {
        'committed.warm_up': false,
        'committed.local_cache.dir': folder,
        'graveler.reposiory_cache.ttl': remembers,
        'graveler.reposiory_cache.jitter': '0s',
      },
      kv,
      block: lent(block),
    });
    this.#t.after(async () => {
      await kernel.stop().catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    });
    return { engine: kernel.services.get('engine'), kernel };
  }

  /** What a server whose database is out of reach leaves: a move that looks like it runs, for half a minute. */
  async forgetMover(): Promise<void> {
    const key = Buffer.from('moves/repo');
    const found = await this.kv.get('graveler', key);
    if (!found) return;
    const record = { ...(JSON.parse(found.value.toString()) as object), task: 'MVgone' };
    await this.kv.set('graveler', key, Buffer.from(JSON.stringify(record)));
  }

  /** Every branch and every commit of `main` shows the same at a new server without the old namespace, or with it only. */
  async contents(): Promise<Record<string, string>> {
    const { engine } = await this.server();
    const found: Record<string, string> = {};
    const refs = (await engine.listBranches('repo', { amount: 1000 })).results.map(({ id }) => id);
    const commits = (await engine.log('repo', 'main', { amount: 1000 })).results.map(({ id }) => id);
    for (const ref of [...refs, ...commits])
      for (let after = ''; ; ) {
        const page = await engine.list('repo', ref, { after });
        for (const item of page.results)
          if (item.kind === 'object') found[`${ref}/${item.path}`] = (await buffer(await engine.open('repo', item.entry))).toString();
        if (!page.hasMore) break;
        after = page.nextOffset;
      }
    return found;
  }

  async empty(namespace: string): Promise<void> {
    for await (const page of this.block.walk(`${namespace}/`))
      await this.block.removeAll(
        page.map(({ relativeKey: identifier }) => ({ namespace, identifier, identifierType: identifierType.relative })),
      );
  }
}

function lent(block: BlockStore): BlockStore {
  return new Proxy(block, {
    get(store, name) {
      if (name === 'close') return () => Promise.resolve();
      const value: unknown = Reflect.get(store, name, store);
      return typeof value === 'function' ? (value.bind(store) as unknown) : value;
    },
  });
}

/** Takes its time to copy, so that much is written meanwhile. */
function slow(block: BlockStore): BlockStore {
  return copying(block, async (source, destination, signal) => {
    await new Promise(resolve => setTimeout(resolve, 10));
    return block.copy(source, destination, signal);
  });
}

function copying(block: BlockStore, copy: BlockStore['copy']): BlockStore {
  return new Proxy(block, {
    get(store, name) {
      const value: unknown = name === 'copy' ? copy : Reflect.get(store, name, store);
      return typeof value === 'function' ? (value.bind(store) as unknown) : value;
    },
  });
}

async function ended(engine: Engine): Promise<StorageMove> {
  return until(async () => {
    const move = await engine.storageMove('repo');
    return !move.isRunning && move;
  });
}

async function filled(engine: Engine): Promise<void> {
  await engine.createRepository({ id: 'repo', storageNamespace: old });
  for (let i = 0; i < 20; i++) await engine.putObject('repo', 'main', `a/${i}`, Buffer.from(`content ${i}`));
  await engine.commit('repo', 'main', commit);
  await engine.createBranch('repo', 'dev', 'main');
  await engine.putObject('repo', 'dev', 'staged', Buffer.from('staged'));
  await engine.deleteObject('repo', 'dev', 'a/1');
}

const passing = [
  'moving',
  'unavailable',
  'no_changes',
  'dirty_branch',
  'too_many_tries',
  'conflict',
  'not_unique',
  'not_found',
  'no_data',
] as const;

/** Writes at random until it is stopped. */
class Writer {
  readonly #engine: Engine;
  readonly #random: SeededRandom;
  readonly #name: string;
  /** Where it wrote -> what was acknowledged last, or may be there since. */
  readonly known = new Map<string, Set<string>>();
  isStopped = false;
  reads = true;

  constructor(engine: Engine, random: SeededRandom, name: string) {
    this.#engine = engine;
    this.#random = random;
    this.#name = name;
  }

  async run(): Promise<void> {
    for (let i = 0; !this.isStopped; i++) {
      const branch = this.#random.choose(['main', 'dev', `of-${this.#name}`]);
      const steps = [
        () => this.#put(branch, `${this.#name}/${this.#random.below(3)}`, `${this.#name} ${i}`),
        () => this.#put(branch, `${this.#name}/${this.#random.below(3)}`, `${this.#name} ${i}`),
        () => this.#read(),
        () => this.#read(),
        () => this.#engine.commit('repo', branch, commit),
        () => this.#engine.compactBranch('repo', branch),
        () => this.#engine.merge('repo', 'dev', `of-${this.#name}`, { committer: 'w', strategy: 'dest-wins' }),
        () => this.#engine.createBranch('repo', `of-${this.#name}`, 'main'),
      ];
      await this.#random
        .choose(steps)()
        .catch((error: unknown) => {
          if (!isSrvError(error, ...passing)) throw error;
        });
      await new Promise(resolve => setTimeout(resolve, 1));
    }
  }

  /** What was acknowledged is read at any time. */
  async #read(): Promise<void> {
    const sure = [...this.known].filter(([slot, values]) => !values.has('absent') && !slot.startsWith('of-'));
    if (sure.length === 0 || !this.reads) return;
    const [slot, values] = this.#random.choose(sure);
    const [branch = '', ...path] = slot.split('/');
    const entry = await this.#engine.getEntry('repo', branch, path.join('/'));
    const text = await this.#engine.open('repo', entry).then(
      async body => (await buffer(body)).toString(),
      (error: unknown) => (this.reads ? String(error) : [...values][0]),
    );
    if (text === undefined) return;
    assert.ok(values.has(text), `${slot} shows ${text}, seed ${this.#random.seed}`);
  }

  async #put(branch: string, path: string, text: string): Promise<void> {
    const slot = `${branch}/${path}`;
    this.known.set(slot, new Set([...(this.known.get(slot) ?? ['absent']), text]));
    await this.#engine.putObject('repo', branch, path, Buffer.from(text));
    this.known.set(slot, new Set([text]));
  }
}

describe('a move to another store', () => {
  it('takes everything along while clients write on two servers', async t => {
    const random = seededRandom();
    for (let schedule = 0; schedule < runCount(2, 12); schedule++)
      await t.test(`schedule ${schedule}, seed ${random.seed}`, async t => {
        const world = await World.open(t);
        const [{ engine }, { engine: other }] = [await world.server(world.kv, slow(world.block)), await world.server()];
        await filled(engine);
        const writers = [engine, other, engine, other].map((engine, i) => new Writer(engine, random, `w${i}`));
        const writing = Promise.all(writers.map(writer => writer.run()));
        await engine.startStorageMove('repo', target);
        if (schedule % 2 === 1) {
          // From now on the new namespace has to be enough.
          await until(async () => ['finishing', 'done'].includes((await engine.storageMove('repo')).phase));
          for (const writer of writers) writer.reads = false;
          await world.empty(old);
        }
        const { phase, error } = await ended(other);
        assert.deepEqual([phase, error], ['done', '']);
        await new Promise(resolve => setTimeout(resolve, 20));
        for (const writer of writers) writer.isStopped = true;
        await writing;
        // Nothing is read from there any more.
        await world.empty(old);
        const contents = await world.contents();
        for (const writer of writers)
          for (const [slot, values] of writer.known)
            if (!values.has('absent') && !slot.startsWith('of-'))
              assert.ok(values.has(contents[slot] ?? ''), `${slot} was lost, seed ${random.seed}`);
        const { storageId, storageNamespace, frozenBy } = await engine.getRepository('repo');
        assert.deepEqual([storageId, storageNamespace, frozenBy], ['two', next, undefined]);
      });
  });

  it('is noticed by a server that remembers repositories for longer, as soon as it is to write', async t => {
    const world = await World.open(t);
    const { engine } = await world.server();
    await filled(engine);
    const writes: ((engine: Engine) => Promise<unknown>)[] = [
      other => other.putObject('repo', 'main', 'late', Buffer.from('late')),
      other => other.createSymlinks('repo', 'main', ''),
      other => other.dumpRefs('repo'),
      other => other.commit('repo', 'main', { ...commit, allowEmpty: true }),
    ];
    const others = await Promise.all(writes.map(async () => (await world.server(world.kv, world.block, '1h')).engine));
    for (const other of others) await other.getRepository('repo');
    await engine.startStorageMove('repo', target);
    assert.equal((await ended(engine)).phase, 'done');
    for (const [i, write] of writes.entries()) {
      const other = others[i] as Engine;
      assert.equal((await other.getRepository('repo')).storageNamespace, old);
      await assert.rejects(write(other), { code: 'moving' }, `${i}`);
      await write(other);
      assert.equal((await other.getRepository('repo')).storageNamespace, next);
    }
  });

  it('continues, or is aborted, wherever its server dies', async t => {
    const random = seededRandom();
    for (let writes = 2; writes < 40; writes += runCount(3, 1))
      await t.test(`after ${writes} writes, seed ${random.seed}`, async t => {
        const world = await World.open(t);
        const { engine } = await world.server();
        await filled(engine);
        const before = await world.contents();
        const mortal = new MortalKv(world.kv, 1_000_000);
        const { engine: mover, kernel } = await world.server(mortal);
        mortal.writesLeft = writes;
        await mover.startStorageMove('repo', target).catch(() => undefined);
        await until(async () => mortal.writesLeft <= 0 || (await engine.storageMove('repo')).phase === 'done');
        mortal.writesLeft = 0;
        await kernel.stop().catch(() => undefined);
        await world.forgetMover();
        const stopped = await engine.storageMove('repo').catch(() => undefined);
        const choice = random.choose(['abort', 'start', 'continue']);
        const isAborted =
          choice === 'abort' &&
          (await engine.abortStorageMove('repo').then(
            () => true,
            () => false,
          ));
        if (choice === 'continue' && stopped !== undefined) await engine.continueStorageMoves();
        else if (!isAborted && stopped?.phase !== 'done') await engine.startStorageMove('repo', target);
        assert.equal((await ended(engine)).phase, isAborted ? 'aborted' : 'done');
        const now = await until(async () => {
          const repository = await engine.getRepository('repo');
          return repository.frozenBy === undefined && repository;
        });
        await world.empty(now.storageNamespace === old ? `two+${next}` : old);
        assert.deepEqual(await world.contents(), before);
        await engine.putObject('repo', 'dev', 'after', Buffer.from('after'));
        await engine.commit('repo', 'dev', commit);
      });
  });
});

describe('a move', () => {
  it('whose server stops is continued by the next one', async t => {
    const world = await World.open(t);
    let copies = 0;
    const block = copying(world.block, async (source, destination, signal) => {
      if (++copies > 5) await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('interrupted'))));
      return world.block.copy(source, destination, signal);
    });
    const { engine, kernel } = await world.server(new MortalKv(world.kv, 1_000_000), block);
    await filled(engine);
    await engine.startStorageMove('repo', target);
    await until(() => copies > 5);
    await kernel.stop();
    const { engine: second } = await world.server();
    await until(async () => (await second.storageMove('repo')).phase === 'done');
    assert.equal((await second.getRepository('repo')).storageNamespace, next);
  });

  it('is continued also when that of another repository cannot be', async t => {
    const world = await World.open(t);
    let copies = 0;
    const block = copying(world.block, async (_, __, signal) => {
      copies++;
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('interrupted'))));
    });
    const { engine, kernel } = await world.server(new MortalKv(world.kv, 1_000_000), block);
    await filled(engine);
    await engine.createRepository({ id: 'another', storageNamespace: 'mem://old/another' });
    await engine.putObject('another', 'main', 'a', Buffer.from('a'));
    await engine.startStorageMove('repo', target);
    await engine.startStorageMove('another', { ...target, storageNamespace: 'mem://new/another' });
    await until(() => copies >= 2);
    await kernel.stop();
    const setIf = world.kv.setIf.bind(world.kv);
    world.kv.setIf = async (partition, key, ...rest) => {
      if (key.toString() === 'moves/another') throw new SrvError('unavailable', 'the database is away');
      return setIf(partition, key, ...rest);
    };
    const { engine: second } = await world.server();
    await until(async () => (await second.storageMove('repo')).phase === 'done');
    assert.equal((await second.storageMove('another')).phase, 'copying');
  });

  it('that fails gives the repository back, and continues where it stopped', async t => {
    const world = await World.open(t);
    let isDown = false;
    const block = copying(world.block, async (source, destination, signal) => {
      if (isDown) throw new Error('the store is down');
      isDown = source.identifier.startsWith('data/');
      return world.block.copy(source, destination, signal);
    });
    const { engine } = await world.server(world.kv, block);
    await filled(engine);
    await engine.startStorageMove('repo', target);
    const failed = await ended(engine);
    assert.deepEqual([failed.phase, failed.error], ['copying', 'the store is down']);
    await engine.putObject('repo', 'main', 'meanwhile', Buffer.from('x'));
    await rejectsWith(
      () => engine.startStorageMove('repo', { ...target, storageNamespace: 'mem://new/other' }),
      'conflict',
      /continue or abort it first/,
    );
    const { engine: sound } = await world.server();
    await sound.startStorageMove('repo', target);
    const { phase, copied } = await ended(sound);
    assert.equal(phase, 'done');
    assert.ok(copied > failed.copied);
    await rejectsWith(() => sound.startStorageMove('repo'), 'not_found');
    await rejectsWith(() => sound.abortStorageMove('repo'), 'not_found');
  });

  it('keeps no place from others once its repository is deleted, even if a server left its record', async t => {
    const world = await World.open(t);
    const block = copying(world.block, () => Promise.reject(new Error('the store is down')));
    const { engine } = await world.server(world.kv, block);
    await filled(engine);
    await engine.startStorageMove('repo', target);
    assert.equal((await ended(engine)).phase, 'copying');
    const key = Buffer.from('moves/repo');
    const record = await world.kv.get('graveler', key);
    assert.ok(record);
    const remove = world.kv.delete.bind(world.kv);
    let failures = 1;
    t.mock.method(world.kv, 'delete', async (...args: Parameters<typeof remove>) => {
      if (args[1].equals(key) && failures-- > 0) throw new SrvError('unavailable', 'the database is away');
      return remove(...args);
    });
    await rejectsWith(() => engine.deleteRepository('repo'), 'unavailable');
    await engine.deleteRepository('repo');
    assert.equal(await world.kv.get('graveler', key), undefined);
    const create = (id: string) => engine.createRepository({ id, storageNamespace: `${next}/${id}`, storageId: 'two' });
    await create('second');
    await world.kv.set('graveler', key, record.value);
    await create('third');
  });

  it('whose source is away leaves the repository where it is, and continues when that is back', async t => {
    for (const away of ['from the beginning', 'before the switch']) {
      const world = await World.open(t);
      let isAway = false;
      const block = new Proxy(lent(world.block), {
        get(store, name) {
          if (name !== 'walk') return Reflect.get(store, name, store) as unknown;
          return (uri: string, options: Parameters<BlockStore['walk']>[1]) => {
            if (!isAway || !uri.includes(old)) return store.walk(uri, options);
            throw new SrvError('not_found', 'no such folder');
          };
        },
      });
      const { engine } = await world.server(
        world.kv,
        copying(block, async (source, destination, signal) => {
          await world.block.copy(source, destination, signal);
          isAway = true;
        }),
      );
      await filled(engine);
      const before = await world.contents();
      isAway = away === 'from the beginning';
      await engine.startStorageMove('repo', target);
      const { phase, error } = await ended(engine);
      assert.deepEqual([phase, error.slice(0, 35)], ['copying', 'nothing is in mem://old/repo, the s'], away);
      assert.equal((await engine.getRepository('repo')).storageNamespace, old);
      await engine.putObject('repo', 'main', 'meanwhile', Buffer.from('x'));
      isAway = false;
      const { engine: sound } = await world.server();
      await sound.startStorageMove('repo');
      assert.equal((await ended(sound)).phase, 'done');
      assert.deepEqual(await world.contents(), { ...before, 'main/meanwhile': 'x' });
    }
  });

  it('is refused to a place that is taken, of another kind, or where another repository is about to go', async t => {
    const world = await World.open(t);
    const { engine } = await world.server();
    await filled(engine);
    await engine.createRepository({ id: 'other', storageNamespace: 'mem://new/other', storageId: 'two' });
    const move = (storageNamespace: string, storageId = 'two') => engine.startStorageMove('repo', { storageId, storageNamespace });
    await rejectsWith(() => move('mem://new/other'), 'invalid', /failed to move repository: it overlaps the namespace of repository other/);
    await rejectsWith(() => move(old, 'one'), 'invalid', /overlaps the namespace of repository repo/);
    await rejectsWith(() => move('local://x'), 'invalid', /use something like/);
    await rejectsWith(() => move('mem://x', 'tape'), 'invalid', /choose one of one, two/);
    await rejectsWith(() => engine.storageMove('repo'), 'not_found');
    await engine.startStorageMove('repo', target);
    await rejectsWith(
      () => engine.createRepository({ id: 'third', storageNamespace: `${next}/below`, storageId: 'two' }),
      'invalid',
      /already in use/,
    );
    assert.equal((await ended(engine)).phase, 'done');
    assert.deepEqual(await engine.repositoriesAt(`${old}/data/x`), ['repo']);
    // Also next to a repository that is there now.
    await engine.createRepository({ id: 'neighbour', storageNamespace: 'mem://old/neighbour', storageId: 'one' });
    for (const above of ['mem://old', 'mem://old/', 'mem://old/re'])
      assert.deepEqual(
        [...(await engine.repositoriesTouching(['mem://nowhere', above]))],
        (above.endsWith('re') ? ['repo'] : ['neighbour', 'repo']).map(name => [name, above]),
      );
    await engine.startStorageMove('repo', { storageId: 'one', storageNamespace: 'mem://old/back' });
    assert.equal((await ended(engine)).phase, 'done');
    assert.deepEqual(await engine.repositoriesAt(`${next}/data/x`), ['repo']);
  });
});

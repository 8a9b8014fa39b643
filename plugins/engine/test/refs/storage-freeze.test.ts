/**
 * Moves of a repository while clients write, with stores and servers that stall, and movers that die: no acknowledged write is
 * lost, and nothing that a branch shows is missing from the namespace where the repository then is.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { MemoryKvStore, runCount, seededRandom } from '@srv/kernel/testing';
import { namespaceOf } from '@srv/lib-stores/block';
import { contentsOf, instance, key, newRepository, storeOfPeers, value } from './fixture.js';
import { ErraticKv, MortalKv } from './hostile-kv.js';
import { MemoryCommitted } from './memory-committed.js';
import type { ApplyRequest, ApplyResult, MergeMetarangesRequest } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { SeededRandom } from '@srv/kernel/testing';
import type { Repository } from '../../src/refs/contract.js';
import type { Refs } from '../../src/refs/service.js';

/** What lies in each namespace: ids of objects, and of metaranges. */
class Places {
  readonly #held = new Map<string, Set<string>>();

  at(namespace: string): Set<string> {
    const held = this.#held.get(namespace) ?? new Set<string>();
    this.#held.set(namespace, held);
    return held;
  }

  copy(from: string, to: string): void {
    for (const id of this.at(from)) this.at(to).add(id);
  }
}

class PlacedCommitted extends MemoryCommitted {
  readonly #places: Places;

  constructor(places: Places) {
    super();
    this.#places = places;
  }

  override async apply(request: ApplyRequest): Promise<ApplyResult> {
    const result = await super.apply(request);
    this.#places.at(request.namespace).add(result.metarangeId);
    return result;
  }

  override async merge(request: MergeMetarangesRequest): Promise<string> {
    const id = await super.merge(request);
    this.#places.at(request.namespace).add(id);
    return id;
  }
}

const refusals = ['moving', 'unavailable', 'not_found', 'not_unique', 'too_many_tries', 'no_changes', 'dirty_branch', 'conflict'] as const;
const namespaces = ['mem://bucket/repo', 'mem://bucket/second', 'mem://bucket/third'];

class World {
  readonly kv = storeOfPeers();
  readonly places = new Places();
  readonly committed = new PlacedCommitted(this.places);
  readonly random: SeededRandom;
  /** Branch and key -> the values that may be there; several while an answer was an error. */
  readonly known = new Map<string, Set<string>>();
  readonly branches = new Set(['main']);
  #next = 0;

  constructor(random: SeededRandom) {
    this.random = random;
  }

  server(kv: KvStore = new ErraticKv(this.kv, () => this.random.below(1 << 30) / (1 << 30))) {
    return instance(kv, this.committed);
  }

  /** Lets others work, sometimes for long. */
  async stall(): Promise<void> {
    const turns = this.random.below(4) === 0 ? this.random.below(200) : this.random.below(5);
    for (let i = 0; i < turns; i++) await new Promise(resolve => setImmediate(resolve));
  }

  /** A client whose server may have read the repository long ago. */
  async client(id: number, service: Refs, repository: Repository): Promise<void> {
    let seen = repository;
    for (let i = 0; i < 14; i++) {
      if (this.random.below(3) === 0) seen = await service.currentRepository(repository);
      const steps = [
        () => this.#write(id, service, seen),
        () => this.#write(id, service, seen),
        () => this.#branch(id, service, seen),
        () => service.commit(seen, this.random.choose([...this.branches]), { committer: 'a', message: 'm' }),
        () => service.merge(seen, this.random.choose([...this.branches]), 'main', { committer: 'a', strategy: 'source-wins' }),
      ];
      await this.random
        .choose(steps)()
        .catch((error: unknown) => {
          if (!isSrvError(error, ...refusals)) throw error;
        });
      await this.stall();
    }
  }

  async #branch(id: number, service: Refs, repository: Repository): Promise<void> {
    const name = `b${id}-${this.#next++}`;
    // Named before it is there: others write to it at once.
    this.branches.add(name);
    await this.stall();
    await service.createBranch(repository, name, this.random.choose(['main', ...this.branches]));
  }

  async #write(id: number, service: Refs, repository: Repository): Promise<void> {
    const branch = this.random.choose([...this.branches]);
    const path = `k${this.random.below(2)}-of-${id}`;
    const text = `v${this.#next++}-of-${id}`;
    // As an upload: its bytes go where the repository was when the request came.
    this.places.at(namespaceOf(repository)).add(text);
    const slot = `${branch} ${path}`;
    const before = this.known.get(slot) ?? new Set(['']);
    this.known.set(slot, new Set([...before, text]));
    await this.stall();
    await service.set(repository, branch, key(path), value(text));
    if (branch !== 'main') this.known.set(slot, new Set([text]));
  }

  /** The steps of a move, of which each may be the last one that is done. */
  async move(service: Refs, repository: Repository, id: string, to: string, step: () => void): Promise<void> {
    const now = await service.currentRepository(repository);
    if (now.storageNamespace !== to) {
      const freeze = service.storageFreeze;
      this.places.copy(namespaceOf(now), to);
      step();
      await this.stall();
      await freeze.freeze(now, id);
      this.places.copy(namespaceOf(now), to);
      step();
      await this.stall();
      await freeze.relocateRepository(now, id, { storageId: '', storageNamespace: to });
    }
    step();
    await this.stall();
    await service.storageFreeze.unfreeze(now, id);
  }

  async mover(repository: Repository): Promise<void> {
    for (const [i, to] of namespaces.slice(1).entries()) {
      for (let died = true; died; ) {
        await this.stall();
        const mortal = new MortalKv(this.kv, 1 + this.random.below(40));
        const { service, stop } = this.server(this.random.below(2) === 0 ? mortal : undefined);
        try {
          const now = await service.currentRepository(repository);
          if (this.random.below(5) === 0 && now.storageNamespace !== to) await service.storageFreeze.thaw(now, `move-${i}`);
          await this.move(service, repository, `move-${i}`, to, () => mortal.step());
          died = false;
        } catch (error) {
          if (!isSrvError(error, 'moving', 'unavailable', 'too_many_tries', 'conflict')) throw error;
        } finally {
          mortal.writesLeft = 1000;
          await stop();
        }
      }
    }
  }

  async check(repository: Repository): Promise<void> {
    const { service, stop } = instance(this.kv, this.committed);
    const now = await service.currentRepository(repository);
    const there = this.places.at(namespaceOf(now));
    const where = `seed ${this.random.seed}`;
    assert.equal(now.storageNamespace, namespaces.at(-1), where);
    assert.equal(now.frozenBy, undefined, where);
    for (const branch of this.branches) {
      const found = await service.getBranch(now, branch).catch(() => undefined);
      if (!found) continue;
      const commit = await service.getCommit(now, found.commitId);
      assert.ok(commit.metarangeId === '' || there.has(commit.metarangeId), `${where}: the tables of ${branch} are not where it is`);
      const contents = await contentsOf(service, now, branch);
      for (const text of Object.values(contents)) assert.ok(there.has(text), `${where}: ${text} on ${branch} is not where it is`);
      for (const [slot, values] of this.known) {
        const [of, path = ''] = slot.split(' ');
        // A branch begins with what its source had.
        if (of === branch && !values.has('') && branch !== 'main')
          assert.ok(values.has(contents[path] ?? ''), `${where}: ${slot} was lost`);
      }
      await service.set(now, branch, key('after'), value('after'));
    }
    await stop();
  }
}

describe('a move to another namespace while clients write', () => {
  it('loses no acknowledged write and leaves nothing behind', async () => {
    const random = seededRandom();
    for (let schedule = 0; schedule < runCount(25, 150); schedule++) {
      const world = new World(random);
      const first = world.server(world.kv);
      const servers = [first, world.server(), world.server()];
      const repository = await first.service.addRepository(newRepository());
      const clients = servers.flatMap(({ service }, i) => [i, i + 3].map(id => world.client(id, service, repository)));
      await Promise.all([...clients, world.mover(repository)]);
      for (const { stop } of servers) await stop();
      await world.check(repository);
    }
  });

  it('is refused while another one has the repository, and what it did can be undone', async () => {
    const { service, stop } = instance(new MemoryKvStore(), new MemoryCommitted());
    const repository = await service.addRepository(newRepository());
    const { storageFreeze } = service;
    await service.set(repository, 'main', key('a'), value('1'));
    await storageFreeze.freeze(repository, 'one');
    await assert.rejects(storageFreeze.freeze(repository, 'two'), { code: 'conflict' });
    await assert.rejects(service.set(repository, 'main', key('a'), value('2')), { code: 'moving', message: /repo move-storage/ });
    await assert.rejects(service.commit(repository, 'main', { committer: 'a', message: 'm' }), { code: 'moving' });
    await assert.rejects(service.deleteRepository('repo', { force: true }), { code: 'moving' });
    const now = await storageFreeze.thaw(repository, 'one');
    assert.equal(now.storageNamespace, repository.storageNamespace);
    // A write from before does not know that nothing has moved.
    await assert.rejects(service.set(repository, 'main', key('a'), value('2')), { code: 'moving' });
    await service.set(now, 'main', key('b'), value('2'));
    assert.deepEqual(await contentsOf(service, now, 'main'), { a: '1', b: '2' });
    await assert.rejects(storageFreeze.relocateRepository(repository, 'one', { storageId: '', storageNamespace: 'mem://b/c' }), {
      code: 'conflict',
    });
    await stop();
  });
});

it('a server that has read a frozen repository sees the end of the freeze with its next request', async () => {
  const [kv, committed] = [storeOfPeers(), new MemoryCommitted()];
  const [mover, other] = [instance(kv, committed), instance(kv, committed)];
  const repository = await mover.service.addRepository(newRepository());
  await mover.service.storageFreeze.freeze(repository, 'move');
  await assert.rejects(other.service.set('repo', 'main', key('k'), value('v')), { code: 'moving' });
  await mover.service.storageFreeze.thaw(repository, 'move');
  await other.service.set('repo', 'main', key('k'), value('v'));
  await Promise.all([mover.stop(), other.stop()]);
});

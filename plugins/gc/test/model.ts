/** Random histories, with collectors and writers at once, some of them dying: nothing readable goes, and in the end all garbage has gone. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeEntry } from '@srv/engine/objects/entry';
import { encodeValue } from '@srv/engine/tables/format';
import { isSrvError, messageOf } from '@srv/kernel';
import { MemoryKvStore } from '@srv/kernel/testing';
import { identifierType, inParallel } from '@srv/lib-stores/block';
import { activeCommits, thresholdOf } from '../src/mark/active-commits.js';
import { branchesOf, commitsOf, gather, tagsOf } from '../src/mark/repository-state.js';
import { partitionsOf, stagedEntries } from '../src/mark/staged.js';
import { StoredRules } from '../src/rules/stored-rules.js';
import { collectorOn, finish, mortal, ofSurvivor } from './collectors.js';
import { addressesBelow, ageless, daysAgo, exists, openEngine } from './fixture.js';
import { pick, randomFrom } from './random.js';
import type { Repository } from '@srv/engine/contract';
import type { OpenEngine } from './fixture.js';

/** Schedules at a time on each engine: a collector reads all other repositories of its own, which more schedules would make more. */
const atOnce = 4;
/** Engines at a time: collectors wait for each other's leases most of the time. */
const engines = 4;
const writers = 3;
const steps = 14;

/** Errors that are part of the game. */
const harmless = [
  'no_changes',
  'dirty_branch',
  'conflict',
  'not_found',
  'not_unique',
  'invalid',
  'too_many_tries',
  'precondition_failed',
] as const;

/** Works on branches of its own, and reads everybody's commits. */
class Writer {
  readonly #engine: OpenEngine;
  readonly #id: string;
  readonly #random: () => number;
  readonly branches: string[];
  /** Addresses that were there when the ref showed them. */
  readonly promised = new Map<string, Set<string>>();
  /** Where branches were before they were deleted or reset: that can be restored. */
  readonly left: { readonly branch: string; readonly commitId: string }[] = [];
  readonly #deleted: { readonly branch: string; readonly commitId: string }[] = [];
  #made = 0;

  constructor(engine: OpenEngine, id: string, name: string, random: () => number) {
    this.#engine = engine;
    this.#id = id;
    this.#random = random;
    this.branches = [name];
  }

  async run(): Promise<void> {
    for (let i = 0; i < steps; i++) {
      const branch = pick(this.#random, this.branches);
      try {
        await this.#step(branch);
      } catch (error) {
        if (!isSrvError(error, ...harmless)) throw error;
      }
      await this.#promise(branch);
    }
  }

  async #step(branch: string): Promise<void> {
    const { catalog } = this.#engine;
    const [id, random] = [this.#id, this.#random];
    const path = `${pick(random, ['a/', 'b/'])}${Math.floor(random() * 3)}`;
    const roll = random();
    if (roll < 0.3) await catalog.putObject(id, branch, path, Buffer.from(`${random()}`));
    else if (roll < 0.38) await catalog.deleteObject(id, branch, path);
    else if (roll < 0.58)
      await catalog.commit(id, branch, { committer: 'w', message: `${random()}`, allowEmpty: true, date: daysAgo(random() * 20) });
    else if (roll < 0.66) {
      const made = `${this.branches[0]}-${this.#made++}`;
      await catalog.createBranch(id, made, await this.#anyCommit());
      this.branches.push(made);
      await this.#promise(made);
    } else if (roll < 0.7 && this.branches.length > 1) {
      await this.#delete(this.branches.pop() ?? '');
    } else if (roll < 0.72 && this.#deleted.length > 0) {
      await this.#undelete();
    } else if (roll < 0.75) await catalog.resetBranch(id, branch, { type: 'all' });
    else if (roll < 0.8) {
      const { commitId } = await catalog.getBranch(id, branch);
      await catalog.hardResetBranch(id, branch, await this.#anyCommit());
      this.left.push({ branch, commitId });
    } else if (roll < 0.85)
      await catalog.merge(id, await this.#anyCommit(), branch, { committer: 'w', strategy: 'source-wins', allowEmpty: true });
    else if (roll < 0.9) await catalog.revert(id, branch, { ref: branch, committer: 'w' });
    else if (roll < 0.95) await catalog.copyPrefix(id, branch, { from: 'a/', to: 'b/', move: random() < 0.5 });
    else if (roll < 0.97) await this.#import(branch);
    else if (roll < 0.985) await this.#copy(branch);
    else await catalog.createTag(id, `t${random()}`.replace('.', ''), await this.#anyCommit());
  }

  /** To a path that nothing else writes, from any commit or from what is uncommitted. */
  async #copy(branch: string): Promise<void> {
    const { catalog } = this.#engine;
    const ref = this.#random() < 0.5 ? branch : await this.#anyCommit();
    const { results } = await catalog.list(this.#id, ref, { amount: 100 });
    const source = results[Math.floor(this.#random() * results.length)];
    if (!source) return;
    await catalog.copyObject(this.#id, { ref, path: source.path }, { branch, path: `c/${this.#made++}` }).catch((error: unknown) => {
      // A commit whose objects were collected.
      if (!isSrvError(error, 'no_data')) throw error;
    });
  }

  /** What is committed on the branch is promised for the time when it is back. */
  async #delete(branch: string): Promise<void> {
    const { catalog } = this.#engine;
    const { commitId } = await catalog.getBranch(this.#id, branch);
    const shown = await shownAt(this.#engine, this.#id, commitId);
    const present = await Promise.all(shown.map(address => exists(this.#engine, this.#id, address)));
    await catalog.deleteBranch(this.#id, branch);
    this.promised.delete(branch);
    this.promised.set(commitId, new Set(shown.filter((_, i) => present[i])));
    this.left.push({ branch, commitId });
    this.#deleted.push({ branch, commitId });
  }

  async #undelete(): Promise<void> {
    const { branch, commitId } = this.#deleted.pop() ?? { branch: '', commitId: '' };
    await this.#engine.catalog.undeleteBranch(this.#id, branch);
    this.promised.set(branch, this.promised.get(commitId) ?? new Set());
    this.branches.push(branch);
    await this.#promise(branch);
  }

  /** Files are written first; the branch shows them a while later. The same ones are written again and again. */
  async #import(branch: string): Promise<void> {
    const { services } = this.#engine.kernel;
    const versioning = services.get('engine');
    const repository = await versioning.getRepository(this.#id);
    const name = `i/${Math.floor(this.#random() * 3)}`;
    const entry = { address: `mem://elsewhere/${name}`, addressType: identifierType.full, size: 1, etag: 'e', lastModified: new Date(0) };
    const value = encodeValue(encodeEntry({ ...entry, metadata: {}, contentType: '' }));
    const changes = (async function* () {
      yield [{ key: Buffer.from(name), value }];
    })();
    const { metarangeId } = await services.get('engine').tables.apply({ namespace: repository.storageNamespace, base: '', changes });
    await sleep(Math.floor(this.#random() * 20));
    await versioning.import(repository, branch, { metarangeId, prefixes: [], keys: [name], committer: 'w', message: 'import' });
  }

  async #anyCommit(): Promise<string> {
    const commits = await commitsOf(this.#engine.kv, await this.#engine.kernel.services.get('engine').getRepository(this.#id));
    return pick(this.#random, [...commits.keys()].toSorted());
  }

  /** What the branch showed before must still be there; what it shows now and is there must stay. */
  async #promise(branch: string): Promise<void> {
    if (!this.branches.includes(branch)) return;
    const shown = await shownAt(this.#engine, this.#id, branch);
    const old = this.promised.get(branch) ?? new Set();
    const present = new Set<string>();
    for (const address of shown) {
      const isThere = await exists(this.#engine, this.#id, address);
      assert.ok(isThere || !old.has(address), `${branch} shows ${address}, which was collected`);
      if (isThere) present.add(address);
    }
    this.promised.set(branch, present);
  }
}

async function shownAt({ catalog }: OpenEngine, id: string, ref: string): Promise<string[]> {
  const { results } = await catalog.list(id, ref, { amount: 1000 });
  return results.flatMap(item => (item.kind === 'object' ? [item.entry.address] : []));
}

/** Every address that anything refers to, found in the plainest way. */
async function referred({ kv, catalog, block, kernel }: OpenEngine, repository: Repository, left: Writer['left']): Promise<Set<string>> {
  const found = new Set<string>();
  const branches = await gather(branchesOf(kv, repository));
  for (const branch of branches)
    for (const partition of partitionsOf(branch))
      for await (const rows of stagedEntries(kv, partition)) for (const { entry } of rows) if (entry) found.add(entry.address);
  const commits = await commitsOf(kv, repository);
  const rules = await new StoredRules(block, kernel.services.get('engine')).find(repository);
  const now = new Date();
  const active = await activeCommits({
    commits,
    heads: [...left, ...branches.map(branch => ({ branch: branch.id, commitId: branch.commitId }))],
    tagged: (await gather(tagsOf(kv, repository))).map(tag => tag.commitId),
    rules,
    now,
  });
  const young = thresholdOf(now, rules?.defaultRetentionDays ?? 0);
  for (const { id, date } of commits.values())
    if (active.has(id) || date > young) {
      const { results } = await catalog.list(repository.id, id, { amount: 1000 });
      for (const item of results) if (item.kind === 'object') found.add(item.entry.address);
    }
  return found;
}

/** Every file that a commit names is at its place, and nothing else is. */
async function metadataIsWhole({ kv, kernel, block }: OpenEngine, repository: Repository): Promise<void> {
  const namespace = repository.storageNamespace;
  const named = new Set<string>();
  for (const { metarangeId } of (await commitsOf(kv, repository)).values()) {
    if (metarangeId === '') continue;
    named.add(metarangeId);
    for await (const page of kernel.services.get('engine').tables.ranges(namespace, metarangeId)) for (const { id } of page) named.add(id);
  }
  const found = (await addressesBelow(block, `${namespace}/_srv/`)).map(address => address.slice(namespace.length + '/_srv/'.length));
  const files = new Set(found.filter(name => /^[0-9a-f]{64}$/.test(name)));
  assert.deepEqual(
    [...named].filter(id => !files.has(id)),
    [],
    'metadata files that commits name are at their places',
  );
  assert.deepEqual(
    [...files].filter(id => !named.has(id)),
    [],
    'metadata files that nothing names are set aside',
  );
}

async function runSchedule(engine: OpenEngine, seed: number): Promise<void> {
  const random = randomFrom(seed);
  const id = `model-${seed}`;
  const { catalog, gc } = engine;
  const repository = await catalog.createRepository({ id, storageNamespace: `mem://bucket/${id}` });
  if (random() < 0.8) await gc.setRules(id, { defaultRetentionDays: Math.floor(random() * 10), branches: [] });
  const all = Array.from({ length: writers }, (_, i) => new Writer(engine, id, `w${i}`, random));
  for (const { branches } of all) await catalog.createBranch(id, branches[0] ?? '', 'main');
  let isOver = false;
  /** One server after the other; most are killed. */
  const collecting = async (name: string): Promise<void> => {
    for (let i = 0; !isOver; i++) {
      const stores = random() < 0.5 ? mortal(engine, Math.floor(random() * 25)) : engine;
      const collector = collectorOn(engine, `${name}-${seed}-${i}`, stores);
      await collector
        .resume(repository)
        .then(() => collector.start(repository, { mode: 'run' }))
        .then(run => collector.wait(run))
        .catch(() => {});
      await sleep(Math.floor(random() * 20));
    }
  };
  const collectors = [collecting('one'), collecting('two')];
  try {
    await Promise.all(all.map(writer => writer.run()));
  } finally {
    isOver = true;
    await Promise.all(collectors);
  }
  for (const writer of all)
    for (const [branch, promised] of writer.promised)
      for (const address of await shownAt(engine, id, branch))
        if (promised.has(address)) assert.ok(await exists(engine, id, address), `${branch} shows ${address}, which was collected`);

  // One run removes the garbage; another one what only pins of operations that were over then kept.
  const last = collectorOn(engine, `last-${seed}`, engine, ofSurvivor);
  await sleep(2);
  await finish(last, repository);
  await finish(last, repository);
  await last.maintainMetadata(repository);
  await metadataIsWhole(engine, repository);
  const left = all.flatMap(writer => writer.left);
  const kept = await referred(engine, repository, left);
  const root = `mem://bucket/${id}/`;
  for (const address of await addressesBelow(engine.block, `${root}data/`))
    assert.ok(kept.has(address.slice(root.length)), `${address} is garbage and still there`);
  // What is left would be read by every later schedule.
  await catalog.deleteRepository(id);
  await gc.purge(`mem://bucket/${id}`);
}

/** Runs the schedules of these seeds. @throws Error that names the first that failed. */
export async function runSchedules(seeds: readonly number[]): Promise<void> {
  for (const parity of [0, 1]) {
    const own = seeds.filter(seed => seed % 2 === parity);
    const shares = Array.from({ length: engines }, (_, engine) => own.filter((_seed, i) => i % engines === engine));
    // Pins are written in a database that other processes use.
    await Promise.all(shares.filter(share => share.length > 0).map(share => runOn(new MemoryKvStore('local', parity === 0), share)));
  }
}

async function runOn(kv: MemoryKvStore, seeds: readonly number[]): Promise<void> {
  const engine = await openEngine({ config: ageless, parent: fastFolder(), kv });
  try {
    await inParallel(
      seeds,
      atOnce,
      async seed => {
        try {
          await runSchedule(engine, seed);
        } catch (error) {
          throw new Error(`schedule ${seed}: ${messageOf(error)}; run it alone with SRV_TEST_SEED=${seed} SRV_SCHEDULES=1`, {
            cause: error,
          });
        }
      },
      new AbortController(),
    );
  } finally {
    await engine.stop();
  }
}

/** Lists are synced many thousand times: where there is a file system in memory, it takes them. */
function fastFolder(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
}

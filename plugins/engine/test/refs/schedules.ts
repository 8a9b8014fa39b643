/** Random schedules of clients that share a repository through two servers, and what must hold after each. */
import assert from 'node:assert/strict';
import { isSrvError, messageOf } from '@srv/kernel';
import { contentsOf, instance, key, newRepository, value } from './fixture.js';
import { ErraticKv } from './hostile-kv.js';
import { MemoryCommitted } from './memory-committed.js';
import type { ErrorCode, KvStore } from '@srv/kernel';
import type { Commit, Repository } from '../../src/refs/contract.js';
import type { Refs } from '../../src/refs/service.js';

const branches = ['main', 'dev'];
const clients = 5;
const steps = 14;

function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What one client knows of a key that only it writes: the acknowledged state, or several when an answer was an error. */
type Knowledge = Map<string, Set<string | undefined>>;

/** Errors that say "not done" and change nothing a client relies on. */
const harmless = ['no_changes', 'too_many_tries', 'dirty_branch', 'conflict', 'precondition_failed', 'not_unique'] as const;

class Client {
  readonly #tolerated: readonly ErrorCode[];
  readonly #id: number;
  readonly #service: Refs;
  readonly #repository: Repository;
  readonly #random: () => number;
  readonly known: Knowledge = new Map();
  readonly commits: { branch: string; commit: Commit }[] = [];
  #version = 0;

  constructor(id: number, service: Refs, repository: Repository, random: () => number, tolerated: readonly ErrorCode[]) {
    this.#id = id;
    this.#tolerated = tolerated;
    this.#service = service;
    this.#repository = repository;
    this.#random = random;
  }

  async run(): Promise<void> {
    for (let i = 0; i < steps; i++) await this.#step();
  }

  async #step(): Promise<void> {
    const branch = this.#pick(branches);
    const path = `k${Math.floor(this.#random() * 3)}-of-${this.#id}`;
    const slot = `${branch} ${path}`;
    const roll = this.#random();
    if (roll < 0.4) await this.#write(slot, this.#next(), text => this.#service.set(this.#repository, branch, key(path), value(text)));
    else if (roll < 0.5) await this.#writeIfAbsent(branch, path, slot);
    else if (roll < 0.62) await this.#write(slot, undefined, () => this.#service.delete(this.#repository, branch, [key(path)]));
    else if (roll < 0.78) await this.#check(branch, path, slot);
    else if (roll < 0.92) await this.#commit(branch);
    else if (roll < 0.97)
      await this.#tolerate(() =>
        this.#service.merge(this.#repository, 'dev', 'main', { committer: `c${this.#id}`, strategy: 'dest-wins' }),
      );
    else await this.#tolerate(() => this.#service.compactBranch(this.#repository, branch));
  }

  async #write(slot: string, text: string | undefined, work: (text: string) => Promise<void>): Promise<void> {
    const before = this.known.get(slot) ?? new Set([undefined]);
    const done = await this.#tolerate(() => work(text ?? ''));
    this.known.set(slot, done ? new Set([text]) : new Set([...before, text]));
  }

  async #writeIfAbsent(branch: string, path: string, slot: string): Promise<void> {
    const before = this.known.get(slot) ?? new Set([undefined]);
    const text = this.#next();
    const condition = { condition: (current: unknown) => current === undefined };
    try {
      await this.#service.set(this.#repository, branch, key(path), value(text), condition);
      assert.ok(before.has(undefined), `${slot}: an if-absent write succeeded over ${[...before].join()}`);
      this.known.set(slot, new Set([text]));
    } catch (error) {
      if (!isSrvError(error, 'precondition_failed', 'too_many_tries', ...this.#tolerated)) throw error;
      if (isSrvError(error, 'precondition_failed'))
        assert.ok(
          this.#onlyWriter(branch) === false || [...before].some(v => v !== undefined),
          `${slot}: an if-absent write was refused although the key was absent`,
        );
      else this.known.set(slot, new Set([...before, text]));
    }
  }

  /** Merges write to `main` what others, and this client, did on `dev`. */
  #onlyWriter(branch: string): boolean {
    return branch !== 'main';
  }

  async #check(branch: string, path: string, slot: string): Promise<void> {
    if (!this.#onlyWriter(branch)) return;
    const found = (await this.#service.get(this.#repository, branch, key(path)))?.identity.toString();
    const known = this.known.get(slot) ?? new Set([undefined]);
    const listed = this.#random() < 0.3 ? (await contentsOf(this.#service, this.#repository, branch))[path] : found;
    assert.ok(known.has(listed), `${slot}: listed ${listed}, acknowledged ${[...known].join()}`);
    assert.ok(known.has(found), `${slot}: read ${found}, acknowledged ${[...known].join()}`);
  }

  async #commit(branch: string): Promise<void> {
    await this.#tolerate(async () => {
      const commit = await this.#service.commit(this.#repository, branch, {
        committer: `c${this.#id}`,
        message: `${this.#id}-${this.#next()}`,
      });
      this.commits.push({ branch, commit });
    });
  }

  /** Runs `work`; false when it failed in a way that is part of the game. */
  async #tolerate(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (isSrvError(error, ...harmless, ...this.#tolerated)) return false;
      throw error;
    }
  }

  #next(): string {
    return `${this.#id}.${++this.#version}`;
  }

  #pick<T>(items: readonly T[]): T {
    const picked = items[Math.floor(this.#random() * items.length)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  }
}

async function runSchedule(seed: number, stores: readonly [KvStore, KvStore], tolerated: readonly ErrorCode[]): Promise<void> {
  const random = randomFrom(seed);
  const committed = new MemoryCommitted();
  // Reads of one server fold what is uncommitted; the other one finds it so.
  const server = (kv: KvStore, foldAfter: number) => instance(new ErraticKv(kv, random), committed, { foldAfter });
  const first = server(stores[0], 3);
  const servers = [first, stores[1].isShared ? server(stores[1], 0) : first] as const;
  const calm = instance(stores[0], committed);
  try {
    const repository = await again(tolerated, attempt => calm.service.addRepository(newRepository(`repo-${seed}-${attempt}`)));
    await again(tolerated, async attempt => {
      try {
        await calm.service.createBranch(repository, 'dev', 'main');
      } catch (error) {
        // An earlier attempt, whose answer was lost, may have made it, and even after it was looked for.
        if (attempt === 0 || !isSrvError(error, 'not_unique')) throw error;
      }
    });
    const running = Array.from(
      { length: clients },
      (_, i) => new Client(i, servers[i % 2 === 0 ? 0 : 1].service, repository, random, tolerated),
    );
    await Promise.all(running.map(client => client.run()));

    const dev = await contentsOf(calm.service, repository, 'dev');
    for (const client of running) {
      for (const [slot, known] of client.known) {
        const [branch, path = ''] = slot.split(' ');
        if (branch === 'dev') assert.ok(known.has(dev[path]), `${slot}: ends as ${dev[path]}, acknowledged ${[...known].join()}`);
      }
    }
    await checkHistory(
      calm.service,
      repository,
      running.flatMap(c => c.commits),
    );
  } finally {
    await Promise.all([...new Set([...servers, calm])].map(server => server.stop()));
  }
}

/** Every acknowledged commit is on its branch once; along a branch no key goes back to an older version. */
async function checkHistory(
  service: Refs,
  repository: Repository,
  acknowledged: readonly { branch: string; commit: Commit }[],
): Promise<void> {
  for (const branch of branches) {
    const { results } = await service.log(repository, branch, { amount: 1000, firstParent: true });
    const ids = results.map(c => c.id);
    assert.equal(new Set(ids).size, ids.length, `${branch}: a commit appears twice`);
    for (const { commit } of acknowledged.filter(a => a.branch === branch))
      assert.ok(ids.includes(commit.id), `${branch}: acknowledged commit ${commit.message} is missing`);
    const newest = new Map<string, number>();
    for (const commit of [...results].reverse()) {
      assert.ok(commit.parents.length === 0 || results.some(c => c.id === commit.parents[0]), `${branch}: the chain is broken`);
      if (branch === 'main') continue;
      for (const [path, text] of Object.entries(await contentsOf(service, repository, commit.id))) {
        const version = Number(text.split('.')[1]);
        assert.ok(version >= (newest.get(path) ?? 0), `${branch}: ${path} goes back from version ${newest.get(path)} to ${version}`);
        newest.set(path, version);
      }
    }
  }
}

/** Until it succeeds; of an attempt whose answer was lost nothing is known. */
async function again<T>(tolerated: readonly ErrorCode[], work: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      if (!isSrvError(error, ...tolerated) || tolerated.length === 0) throw error;
    }
  }
}

interface ScheduleOptions {
  /** Errors after which it is unknown what happened. Default: none. */
  readonly tolerated?: readonly ErrorCode[];
  readonly firstSeed: number;
  readonly schedules: number;
  /** The store as each of two servers sees it. One that is not shared has a single server. */
  readonly stores: () => readonly [KvStore, KvStore];
  /** Schedules at a time, 8 unless given: most of them wait. */
  readonly atOnce?: number;
}

/** No acknowledged write is lost or duplicated, commits are linear. @throws Error that names the seed. */
export async function runSchedules({ firstSeed, schedules, stores, tolerated = [], atOnce = 8 }: ScheduleOptions): Promise<void> {
  const seeds = Array.from({ length: schedules }, (_, i) => firstSeed + i).values();
  const worker = async (): Promise<void> => {
    for (const seed of seeds)
      try {
        await runSchedule(seed, stores(), tolerated);
      } catch (error) {
        throw new Error(`schedule ${seed}: ${messageOf(error)}; run it alone with SRV_TEST_SEED=${seed} SRV_SCHEDULES=1`, {
          cause: error,
        });
      }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

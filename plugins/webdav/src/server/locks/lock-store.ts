/**
 * Locks in the key-value store, so that all servers of an installation see them: one record per lock in the partition of the
 * repository. A second record per branch changes with every new lock: it makes the one of two servers repeat its check that
 * granted a lock at the same time.
 */
import { randomUUID } from 'node:crypto';
import { absent } from '@srv/kernel';
import { Records, partitionOf, recordsBelow, workThrough } from '@srv/lib-records';
import { DavError } from '../errors.js';
import { decodeLock, encodeLock, lockPrefix as prefix } from './lock-record.js';
import type { Repository } from '@srv/engine/contract';
import type { Condition, KvStore } from '@srv/kernel';
import type { Lock } from './lock.js';

const turns = 'webdav-lock-turns';
/** Milliseconds for which a lock lasts that is not granted yet. */
const claimMs = 60_000;
/** @bound locks of a branch */
const maxLocks = 1000;
const maxTries = 20;

type WantedLock = Omit<Lock, 'token' | 'expires'>;

export class LockStore {
  readonly #kv: KvStore;
  readonly #records: Records<Lock>;
  readonly #now: () => number;

  constructor(kv: KvStore, now: () => number = Date.now) {
    this.#kv = kv;
    this.#now = now;
    this.#records = new Records<Lock>(kv, { prefix, what: 'lock', encode: encodeLock, decode: bytes => decodeLock(bytes) });
  }

  /** Locks of a branch that have not expired. */
  async list(repository: Repository, branch: string): Promise<readonly Lock[]> {
    return (await this.#all(repository, branch)).filter(lock => !this.#isOver(lock));
  }

  /**
   * @param check throws when the lock contradicts one of those that exist; it may be called again.
   * @param prepare runs once others see the lock, before it is granted; if it throws, the lock ends.
   * @throws DavError 503 for too many locks, and when others are always faster.
   */
  async grant(
    repository: Repository,
    branch: string,
    wanted: WantedLock,
    check: (locks: readonly Lock[]) => void,
    prepare: () => Promise<void> = async () => {},
  ): Promise<Lock> {
    for (let tries = 0; tries < maxTries; tries++) {
      const turn = await this.#kv.get(partitionOf(repository), turnKey(branch));
      const all = await this.#all(repository, branch);
      const held = all.filter(lock => !this.#isOver(lock));
      check(held);
      if (held.length >= maxLocks) throw new DavError(503, `the branch ${branch} has ${held.length} locks; release some of them`);
      const over = all.filter(lock => this.#isOver(lock));
      await Promise.all(over.map(lock => this.#removeOver(partitionOf(repository), idOf(branch, lock))));
      const granted = await this.#tryGrant(repository, branch, wanted, turn?.predicate ?? absent, prepare);
      if (granted) return granted;
    }
    throw new DavError(503, `other clients take locks on the branch ${branch} all the time; repeat the request`);
  }

  /**
   * The lock lasts for a short time until all is done: what fails half-way, and cannot remove it, must not keep others out for long.
   * @param turn that the branch must still be at. @returns `undefined` when it is not, or when all took too long.
   */
  async #tryGrant(
    repository: Repository,
    branch: string,
    wanted: WantedLock,
    turn: Condition,
    prepare: () => Promise<void>,
  ): Promise<Lock | undefined> {
    const partition = partitionOf(repository);
    const lock: Lock = { ...wanted, token: `urn:uuid:${randomUUID()}`, expires: this.#now() + claimMs };
    let granted: Lock | undefined;
    try {
      await this.#records.set(partition, idOf(branch, lock), lock);
      if (await this.#kv.setIf(partition, turnKey(branch), Buffer.from(lock.token), turn)) {
        await prepare();
        granted = await this.refresh(repository, branch, lock, wanted.timeout);
      }
    } catch (error) {
      await this.remove(repository, branch, lock).catch(() => undefined);
      throw error;
    }
    if (!granted) await this.remove(repository, branch, lock);
    return granted;
  }

  /** Extends a lock. @returns `undefined` when it is gone. */
  async refresh(repository: Repository, branch: string, { token }: Lock, timeout: number): Promise<Lock | undefined> {
    const partition = partitionOf(repository);
    const id = idOf(branch, { token });
    for (let tries = 0; tries < maxTries; tries++) {
      const found = await this.#records.find(partition, id);
      if (!found || this.#isOver(found.value)) return undefined;
      const next = { ...found.value, timeout, expires: this.#now() + timeout * 1000 };
      if (await this.#records.replace(partition, id, next, found.predicate)) return next;
    }
    return undefined;
  }

  remove(repository: Repository, branch: string, lock: Pick<Lock, 'token'>): Promise<void> {
    return this.#records.remove(partitionOf(repository), idOf(branch, lock));
  }

  /** Removes what has expired, of all branches of a repository. @throws the first failure, after the other locks were removed. */
  async clean(repository: Repository): Promise<void> {
    const partition = partitionOf(repository);
    await workThrough(recordsBelow(this.#kv, partition, `${prefix}/`), async ({ name, value }) => {
      if (this.#isOver(decodeLock(value, name))) await this.#removeOver(partition, name);
    });
  }

  /** Removes a lock that is over still: it may have been extended since it was read. */
  async #removeOver(partition: string, id: string): Promise<void> {
    const found = await this.#records.find(partition, id);
    if (!found || !this.#isOver(found.value)) return;
    // Servers whose clocks are late could extend it until it is removed, but not beyond this.
    if (await this.#records.replace(partition, id, { ...found.value, expires: 0 }, found.predicate))
      await this.#records.remove(partition, id);
  }

  #isOver({ expires }: Lock): boolean {
    return expires <= this.#now();
  }

  async #all(repository: Repository, branch: string): Promise<Lock[]> {
    const found: Lock[] = [];
    for await (const { name, value } of recordsBelow(this.#kv, partitionOf(repository), `${prefix}/${branch}/`))
      found.push(decodeLock(value, `${branch}/${name}`));
    return found;
  }
}

const turnKey = (branch: string): Buffer => Buffer.from(`${turns}/${branch}`);

/** Names of branches have no slash. */
const idOf = (branch: string, { token }: Pick<Lock, 'token'>): string => `${branch}/${token}`;

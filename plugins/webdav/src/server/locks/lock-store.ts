/**
 * Locks in the key-value store, so that all servers of an installation see them: one record per lock in the partition of the
 * repository. A second record per branch changes with every new lock: it makes the one of two servers repeat its check that
 * granted a lock at the same time.
 */
import { randomUUID } from 'node:crypto';
import { absent } from '@srv/kernel';
import { Records, partitionOf, recordsBelow } from '@srv/lib-records';
import { DavError } from '../errors.js';
import { decodeLock, encodeLock, lockPrefix as prefix } from './lock-record.js';
import type { Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { Lock } from './lock.js';

const turns = 'webdav-lock-turns';
/** @bound locks of a branch */
const maxLocks = 1000;
const maxTries = 20;

export class LockStore {
  readonly #kv: KvStore;
  readonly #records: Records<Lock>;
  readonly #now: () => number;

  constructor(kv: KvStore, now: () => number = Date.now) {
    this.#kv = kv;
    this.#now = now;
    this.#records = new Records<Lock>(kv, { prefix, what: 'lock', encode: encodeLock, decode: decodeLock });
  }

  /** Locks of a branch that have not expired. */
  async list(repository: Repository, branch: string): Promise<readonly Lock[]> {
    return (await this.#all(repository, branch)).filter(({ expires }) => expires > this.#now());
  }

  /**
   * @param check throws when the lock contradicts one of those that exist; it may be called again.
   * @throws DavError 503 for too many locks, and when others are always faster.
   */
  async grant(
    repository: Repository,
    branch: string,
    wanted: Omit<Lock, 'token' | 'expires'>,
    check: (locks: readonly Lock[]) => void,
  ): Promise<Lock> {
    const partition = partitionOf(repository);
    const turnKey = Buffer.from(`${turns}/${branch}`);
    const lock: Lock = { ...wanted, token: `urn:uuid:${randomUUID()}`, expires: this.#now() + wanted.timeout * 1000 };
    for (let tries = 0; tries < maxTries; tries++) {
      const turn = await this.#kv.get(partition, turnKey);
      const all = await this.#all(repository, branch);
      const held = all.filter(({ expires }) => expires > this.#now());
      check(held);
      if (held.length >= maxLocks) throw new DavError(503, `the branch ${branch} has ${held.length} locks; release some of them`);
      await Promise.all(all.filter(old => !held.includes(old)).map(old => this.remove(repository, branch, old)));
      await this.#records.set(partition, idOf(branch, lock), lock);
      if (await this.#kv.setIf(partition, turnKey, Buffer.from(lock.token), turn?.predicate ?? absent)) return lock;
      await this.remove(repository, branch, lock);
    }
    throw new DavError(503, `other clients take locks on the branch ${branch} all the time; repeat the request`);
  }

  /** Extends a lock. @returns `undefined` when it is gone. */
  async refresh(repository: Repository, branch: string, { token }: Lock, timeout: number): Promise<Lock | undefined> {
    const partition = partitionOf(repository);
    const id = idOf(branch, { token });
    for (let tries = 0; tries < maxTries; tries++) {
      const found = await this.#records.find(partition, id);
      if (!found || found.value.expires <= this.#now()) return undefined;
      const next = { ...found.value, timeout, expires: this.#now() + timeout * 1000 };
      if (await this.#records.replace(partition, id, next, found.predicate)) return next;
    }
    return undefined;
  }

  remove(repository: Repository, branch: string, lock: Pick<Lock, 'token'>): Promise<void> {
    return this.#records.remove(partitionOf(repository), idOf(branch, lock));
  }

  /** Removes what has expired, of all branches of a repository. */
  async clean(repository: Repository): Promise<void> {
    const partition = partitionOf(repository);
    for await (const { key, value } of recordsBelow(this.#kv, partition, `${prefix}/`))
      if (decodeLock(value).expires <= this.#now()) await this.#kv.delete(partition, key);
  }

  async #all(repository: Repository, branch: string): Promise<Lock[]> {
    const found: Lock[] = [];
    for await (const { value } of recordsBelow(this.#kv, partitionOf(repository), `${prefix}/${branch}/`)) found.push(decodeLock(value));
    return found;
  }
}

/** Names of branches have no slash. */
const idOf = (branch: string, { token }: Pick<Lock, 'token'>): string => `${branch}/${token}`;

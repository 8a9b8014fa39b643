/**
 * Since when the uncommitted changes of a branch have been the same, as the servers saw it. Times of staged objects may be
 * those that clients named, and deletions have none; so only what was seen counts: `gc/lifecycle/staged/<branch>`.
 */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { partitionOf, recordsBelow } from '@srv/lib-records';
import { partitionsOf } from '../mark/staged.js';
import type { Branch, Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';

const prefix = 'gc/lifecycle/staged/';

interface Observation {
  /** Of all rows. */
  readonly digest: string;
  /** Milliseconds since 1970. */
  readonly since: number;
}

export class StagedObservations {
  readonly #kv: KvStore;

  constructor(kv: KvStore) {
    this.#kv = kv;
  }

  /**
   * Compares the rows with those that were seen before.
   * @returns since when they are known to be the same; `undefined` where there are no rows. @param notes whether to remember them.
   */
  async since(repository: Repository, branch: Branch, now: number, notes: boolean): Promise<number | undefined> {
    const digest = await this.#digest(branch);
    const [partition, key] = [partitionOf(repository), Buffer.from(prefix + branch.id)];
    const found = await this.#kv.get(partition, key);
    if (digest === undefined) {
      if (found && notes) await this.#kv.delete(partition, key);
      return undefined;
    }
    const last = found && (JSON.parse(found.value.toString('utf8')) as Observation);
    if (last?.digest === digest && last.since <= now) return last.since;
    if (notes) await this.#kv.set(partition, key, Buffer.from(JSON.stringify({ digest, since: now } satisfies Observation)));
    return now;
  }

  /** Forgets what was seen of branches that no longer exist. */
  async tidy(repository: Repository, exists: (branch: string) => Promise<boolean>): Promise<void> {
    const partition = partitionOf(repository);
    for await (const { key, name } of recordsBelow(this.#kv, partition, prefix))
      if (!(await exists(name))) await this.#kv.delete(partition, key);
  }

  /** Of the partitions and their rows: a commit that puts rows aside and fails is a change, too. */
  async #digest(branch: Branch): Promise<string | undefined> {
    const hash = createHash('sha256');
    let rows = 0;
    for (const partition of partitionsOf(branch)) {
      hash.update(`${partition}\0`);
      for await (const page of this.#kv.scan(partition)) {
        for (const { key, value } of page) hash.update(lengthsOf(key, value)).update(key).update(value);
        rows += page.length;
        await setImmediate();
      }
    }
    return rows === 0 ? undefined : hash.digest('hex');
  }
}

const lengthsOf = (key: Buffer, value: Buffer): string => `${key.length} ${value.length}\0`;

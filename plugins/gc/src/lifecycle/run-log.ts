/** What runs of the lifecycle did: `gc/lifecycle/runs/<id>` in the repository's partition, newest first. */
import { SrvError } from '@srv/kernel';
import { pageSize, partitionOf, recordsBelow } from '@srv/lib-records';
import type { Page, PageRequest, Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { LifecycleRun } from '../contract.js';

/** Times are milliseconds since 1970. */
export interface StoredRun extends Omit<LifecycleRun, 'startedAt' | 'endedAt'> {
  readonly startedAt: number;
  readonly endedAt?: number;
}

const prefix = 'gc/lifecycle/runs/';
/** Runs of a repository that are kept. */
const kept = 200;

const keyOf = (id: string): Buffer => Buffer.from(prefix + id);

export class RunLog {
  readonly #kv: KvStore;

  constructor(kv: KvStore) {
    this.#kv = kv;
  }

  async save(repository: Repository, run: StoredRun): Promise<void> {
    await this.#kv.set(partitionOf(repository), keyOf(run.id), encode(run));
  }

  /** @throws SrvError `not_found`. */
  async get(repository: Repository, id: string): Promise<StoredRun> {
    const found = /^[0-9a-v]{20}$/.test(id) ? await this.#kv.get(partitionOf(repository), keyOf(id)) : undefined;
    if (!found) throw new SrvError('not_found', `run ${JSON.stringify(id)}: not found`, { details: { run: id } });
    return decode(found.value);
  }

  async *scan(repository: Repository, after = ''): AsyncGenerator<StoredRun> {
    for await (const { value } of recordsBelow(this.#kv, partitionOf(repository), prefix, { start: after })) {
      const run = decode(value);
      if (run.id !== after) yield run;
    }
  }

  async page(repository: Repository, { after = '', amount }: Pick<PageRequest, 'after' | 'amount'>): Promise<Page<StoredRun>> {
    const limit = pageSize(amount);
    const results: StoredRun[] = [];
    for await (const run of this.scan(repository, after)) {
      if (results.length === limit) return { results, hasMore: true, nextOffset: results.at(-1)?.id ?? '' };
      results.push(run);
    }
    return { results, hasMore: false, nextOffset: '' };
  }

  /** Under the lease: a run that has not ended is one whose server did, or its end is about to be stored. Forgets the oldest runs. */
  async tidy(repository: Repository, now: number): Promise<void> {
    let count = 0;
    for await (const { id, phase } of this.scan(repository)) {
      if (++count > kept) await this.#kv.delete(partitionOf(repository), keyOf(id));
      else if (phase === 'running') await this.#fail(repository, id, now);
    }
  }

  async #fail(repository: Repository, id: string, now: number): Promise<void> {
    const [partition, key] = [partitionOf(repository), keyOf(id)];
    const found = await this.#kv.get(partition, key);
    if (!found) return;
    const run = decode(found.value);
    if (run.phase !== 'running') return;
    const failed: StoredRun = { ...run, phase: 'failed', endedAt: now, error: 'its server ended; the next run continues' };
    await this.#kv.setIf(partition, key, encode(failed), found.predicate);
  }
}

export function presentRun({ startedAt, endedAt, ...run }: StoredRun): LifecycleRun {
  return { ...run, startedAt: new Date(startedAt), endedAt: endedAt === undefined ? undefined : new Date(endedAt) };
}

const encode = (run: StoredRun): Buffer => Buffer.from(JSON.stringify(run));
const decode = (bytes: Buffer): StoredRun => JSON.parse(bytes.toString('utf8')) as StoredRun;

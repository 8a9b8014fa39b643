/** Records of runs, under `gc/runs/<id>` of the repository; ids sort newest first. */
import { SrvError, absent } from '@srv/kernel';
import { pageSize, partitionOf, recordsBelow } from '@srv/lib-records';
import type { Page, PageRequest, Repository } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { Run } from '../contract.js';

export interface RunRecord extends Omit<Run, 'startedAt' | 'updatedAt' | 'cutoff'> {
  /** Milliseconds since 1970, as are the other two. */
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly cutoff: number;
  /** Sweep once it is marked. */
  readonly sweeps: boolean;
  readonly force: boolean;
  /** Run whose candidates are swept; its own unless this is a later sweep. */
  readonly source: string;
  readonly cancelRequested: boolean;
}

const prefix = 'gc/runs/';
/** What records of earlier releases lack. */
const uncounted = { metadataFiles: 0, abortedUploads: 0, oldReports: 0, otherFiles: 0, otherBytes: 0 };

export class RunRecords {
  readonly #kv: KvStore;

  constructor(kv: KvStore) {
    this.#kv = kv;
  }

  async create(repository: Repository, record: RunRecord): Promise<void> {
    if (!(await this.#kv.setIf(partitionOf(repository), keyOf(record.id), encode(record), absent)))
      throw new SrvError('not_unique', `run ${record.id} exists already`);
  }

  async find(repository: Repository, id: string): Promise<RunRecord | undefined> {
    const found = await this.#kv.get(partitionOf(repository), keyOf(id));
    return found && decodeRun(found.value);
  }

  /** @throws SrvError `not_found`. */
  async get(repository: Repository, id: string): Promise<RunRecord> {
    const found = /^[0-9a-v]{20}$/.test(id) ? await this.find(repository, id) : undefined;
    if (!found) throw new SrvError('not_found', `run ${JSON.stringify(id)}: not found`, { details: { run: id } });
    return found;
  }

  /** Changes a record, however often others change it meanwhile. @returns the changed record. */
  async update(repository: Repository, id: string, change: (record: RunRecord) => Partial<RunRecord>): Promise<RunRecord> {
    for (;;) {
      const found = await this.#kv.get(partitionOf(repository), keyOf(id));
      if (!found) throw new SrvError('not_found', `run ${id}: not found`, { details: { run: id } });
      const record = decodeRun(found.value);
      const next = { ...record, ...change(record), updatedAt: Date.now() };
      if (await this.#kv.setIf(partitionOf(repository), keyOf(id), encode(next), found.predicate)) return next;
    }
  }

  async delete(repository: Repository, id: string): Promise<void> {
    await this.#kv.delete(partitionOf(repository), keyOf(id));
  }

  /** Newest first. */
  async *scan(repository: Repository, after = ''): AsyncGenerator<RunRecord> {
    for await (const { value } of recordsBelow(this.#kv, partitionOf(repository), prefix, { start: after })) {
      const record = decodeRun(value);
      if (record.id !== after) yield record;
    }
  }

  async page(repository: Repository, { after = '', amount }: Pick<PageRequest, 'after' | 'amount'>): Promise<Page<Run>> {
    const limit = pageSize(amount);
    const results: Run[] = [];
    for await (const record of this.scan(repository, after)) {
      if (results.length === limit) return { results, hasMore: true, nextOffset: results.at(-1)?.id ?? '' };
      results.push(presentRun(record));
    }
    return { results, hasMore: false, nextOffset: '' };
  }
}

export function presentRun({ startedAt, updatedAt, cutoff, ...record }: RunRecord): Run {
  const { sweeps: _, force: __, source: ___, cancelRequested: ____, ...rest } = record;
  return { ...rest, startedAt: new Date(startedAt), updatedAt: new Date(updatedAt), cutoff: new Date(cutoff) };
}

export function isOver({ phase }: Pick<Run, 'phase'>): boolean {
  return phase === 'done' || phase === 'failed' || phase === 'cancelled' || phase === 'marked';
}

function decodeRun(bytes: Buffer): RunRecord {
  return { ...uncounted, ...(JSON.parse(bytes.toString('utf8')) as RunRecord) };
}

function encode(record: RunRecord): Buffer {
  return Buffer.from(JSON.stringify(record));
}

function keyOf(id: string): Buffer {
  return Buffer.from(prefix + id);
}

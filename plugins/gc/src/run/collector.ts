/** Runs: starts them, resumes those whose server died, ends them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SrvError, messageOf } from '@srv/kernel';
import { checkWritable, descendingXid, partitionEpoch } from '@srv/lib-records';
import { maintainMetadataFiles } from '../metadata/collect-metadata.js';
import { lastSetAside } from '../metadata/set-aside.js';
import { Lease, LeaseWatch, readLease } from './lease.js';
import { writePins } from './pins.js';
import { RunRecords, isOver } from './run-record.js';
import { RunWork } from './run-work.js';
import type { Repository } from '@srv/engine/contract';
import type { RunRequest } from '../contract.js';
import type { LeaseTimes } from './lease.js';
import type { RunRecord } from './run-record.js';
import type { RunWorkOptions } from './run-work.js';

export interface CollectorOptions extends RunWorkOptions {
  readonly times: LeaseTimes;
  /** As for {@link LeaseWatch}. */
  readonly home?: string | undefined;
  /** Milliseconds. */
  readonly minAge: number;
  readonly quarantineDays: number;
}

/** Milliseconds after files were set aside in which operations under way may still name them. */
const eagerTime = 3_600_000;
/** Milliseconds between two checks of them later. */
const maintenancePeriod = 6 * 3_600_000;
/** Looks at a lease that may be given up in a moment. */
const looks = 10;

interface Active {
  readonly work: Promise<void>;
  readonly stop: AbortController;
  readonly lease: Lease;
}

export class Collector {
  readonly records: RunRecords;
  readonly #options: CollectorOptions;
  readonly #watch: LeaseWatch;
  readonly #work: RunWork;
  readonly #active = new Map<string, Active>();
  /** When metadata set aside was last looked after, by repository. */
  readonly #maintained = new Map<string, number>();
  #closed = false;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.records = new RunRecords(options.kv);
    this.#watch = new LeaseWatch(options.times, options.home);
    this.#work = new RunWork({ ...options, cancel: run => this.#active.get(run)?.stop.abort(cancelled()) }, this.records);
  }

  /** @throws SrvError `conflict` while another run is under way. */
  async start(repository: Repository, { mode, quarantineDays, force = false }: RunRequest): Promise<string> {
    return this.#begin(repository, {
      dryRun: mode === 'dry_run',
      sweeps: mode === 'run',
      force,
      quarantineDays: quarantineDays ?? this.#options.quarantineDays,
    });
  }

  /** Sweeps what another run marked. @throws SrvError `not_found`; `conflict` when it has not been marked. */
  async sweep(repository: Repository, source: string, { quarantineDays }: Pick<RunRequest, 'quarantineDays'>): Promise<string> {
    const marked = await this.records.get(repository, source);
    if (marked.dryRun || marked.source !== marked.id || marked.phase === 'marking')
      throw new SrvError('conflict', `run ${source} has marked nothing that can be swept (it is ${marked.phase})`, {
        details: { run: source },
      });
    return this.#begin(repository, {
      dryRun: false,
      sweeps: true,
      force: true,
      source,
      phase: 'sweeping',
      quarantineDays: quarantineDays ?? this.#options.quarantineDays,
      candidates: marked.candidates,
      candidateBytes: marked.candidateBytes,
    });
  }

  async cancel(repository: Repository, run: string): Promise<void> {
    const record = await this.records.update(repository, run, found => {
      if (isOver(found)) throw new SrvError('conflict', `run ${run} is over: ${found.phase}`, { details: { run } });
      return { cancelRequested: true };
    });
    this.#active.get(record.id)?.stop.abort(cancelled());
  }

  /** Resumes a run whose server has ended, or shows no sign of life. Call it regularly. */
  async resume(repository: Repository): Promise<void> {
    const { state } = await readLease(this.#options.kv, repository);
    if (state.run === '' || this.#active.has(state.run) || !this.#watch.isFree(repository, state)) return;
    const record = await this.records.find(repository, state.run);
    if (!record || isOver(record)) return;
    // The process that released the lease is about to store the end of the run.
    if (state.owner === '' && Date.now() - record.updatedAt < this.#options.times.stale) return;
    const lease = await this.#take(repository, record.id);
    if (lease instanceof Lease) this.#launch(repository, record, lease);
  }

  /** Whether a lease is being watched whose owner may have ended. */
  get isWatching(): boolean {
    return this.#watch.isWatching;
  }

  /** Maintains metadata files that were set aside; call it regularly. Does nothing while another process does it. */
  async maintainMetadata(repository: Repository): Promise<void> {
    const { kv, metadataAges } = this.#options;
    const last = await lastSetAside(kv, repository);
    const looked = this.#maintained.get(repository.instanceUid);
    if (last === undefined || this.#closed) return;
    const pause = Date.now() - last < eagerTime ? 0 : maintenancePeriod;
    if (looked !== undefined && performance.now() - looked < pause) return;
    await this.#underLease(repository, async lease => {
      this.#maintained.set(repository.instanceUid, performance.now());
      const request = { repository, lease, signal: lease.lost, ages: metadataAges };
      await maintainMetadataFiles(request, { ...this.#options, records: this.records });
    });
  }

  /**
   * Does other work while no process collects the repository. The work asks `lease.check` before each change.
   * @throws SrvError `conflict` while other work holds the lease, after half a second.
   */
  async exclusively(repository: Repository, work: (lease: Lease) => Promise<void>): Promise<void> {
    if (this.#closed) throw new SrvError('closed', 'the server is stopping');
    let heldBy = await this.#underLease(repository, work);
    // Work that has just said that it is done gives its lease up in a moment.
    for (let left = looks; heldBy !== undefined && left > 0; left--) {
      await sleep(this.#options.times.look);
      heldBy = await this.#underLease(repository, work);
    }
    if (heldBy === undefined) return;
    const holder = heldBy === '' ? 'other work on this repository is under way' : `run ${heldBy} collects this repository`;
    throw new SrvError('conflict', `${holder}; wait for it, or cancel it`, { details: { run: heldBy } });
  }

  /** @returns the run whose process holds the lease: then nothing was done. */
  async #underLease(repository: Repository, work: (lease: Lease) => Promise<void>): Promise<string | undefined> {
    const { state } = await readLease(this.#options.kv, repository);
    const lease = await this.#take(repository, state.run);
    if (!(lease instanceof Lease)) return lease.heldBy;
    try {
      await work(lease);
      return undefined;
    } finally {
      await lease.release();
    }
  }

  /** Waits for a run of this process. */
  async wait(run: string): Promise<void> {
    await this.#active.get(run)?.work;
  }

  /** Stops the runs of this process; another server, or the next start, resumes them. */
  async stop(): Promise<void> {
    this.#closed = true;
    for (const { stop } of this.#active.values()) stop.abort(new SrvError('closed', 'the server is stopping'));
    await Promise.all([...this.#active.values()].map(({ work }) => work));
  }

  /** The lease; when it is held for a moment only, after that: a run that is over collects nothing. */
  async #takeSoon(repository: Repository, run: string) {
    const { look, stale } = this.#options.times;
    for (const since = performance.now(); ; ) {
      const taken = await this.#take(repository, run);
      if (taken instanceof Lease || performance.now() - since > stale) return taken;
      const holder = taken.heldBy === '' ? undefined : await this.records.find(repository, taken.heldBy);
      if (holder && !isOver(holder)) return taken;
      await sleep(look);
    }
  }

  async #take(repository: Repository, run: string) {
    const { kv, log, times } = this.#options;
    const isUnfinished = async (other: string): Promise<boolean> => {
      const record = await this.records.find(repository, other);
      return record !== undefined && !isOver(record);
    };
    const taken = await Lease.take(repository, run, { kv, log, times, isUnfinished, watch: this.#watch });
    if (!(taken instanceof Lease)) return taken;
    try {
      await writePins(kv, repository);
      return taken;
    } catch (error) {
      await taken.release();
      throw error;
    }
  }

  async #begin(
    repository: Repository,
    facts: Pick<RunRecord, 'dryRun' | 'sweeps' | 'force' | 'quarantineDays'> & Partial<RunRecord>,
  ): Promise<string> {
    checkWritable(repository);
    if (this.#closed) throw new SrvError('closed', 'the server is stopping');
    const id = descendingXid(partitionEpoch);
    const lease = await this.#takeSoon(repository, id);
    if (!(lease instanceof Lease)) {
      // Its server may be gone: then this one resumes it.
      await this.resume(repository);
      throw new SrvError('conflict', `run ${lease.heldBy} collects this repository already; wait for it, or cancel it`, {
        details: { run: lease.heldBy },
      });
    }
    const now = Date.now();
    const record: RunRecord = {
      id,
      phase: 'marking',
      startedAt: now,
      updatedAt: now,
      cutoff: now - this.#options.minAge,
      source: id,
      listed: 0,
      kept: 0,
      young: 0,
      candidates: 0,
      candidateBytes: 0,
      swept: 0,
      deleted: 0,
      deletedBytes: 0,
      spared: 0,
      failures: 0,
      metadataFiles: 0,
      abortedUploads: 0,
      oldReports: 0,
      otherFiles: 0,
      otherBytes: 0,
      cancelRequested: false,
      ...facts,
    };
    try {
      await this.records.create(repository, record);
    } catch (error) {
      await lease.release();
      throw error;
    }
    this.#launch(repository, record, lease);
    return id;
  }

  #launch(repository: Repository, record: RunRecord, lease: Lease): void {
    const stop = new AbortController();
    lease.lost.addEventListener('abort', () => stop.abort(new SrvError('conflict', 'another server continues the run')), { once: true });
    const work = this.#work
      .carryOut({ repository, record, lease, signal: stop.signal })
      .catch((error: unknown) => {
        lease.abandon();
        const fields = { repository: repository.id, run: record.id, error: messageOf(error) };
        this.#options.log.error(fields, 'a garbage collection run was interrupted; it will be resumed');
      })
      .finally(() => this.#active.delete(record.id));
    this.#active.set(record.id, { work, stop, lease });
  }
}

function cancelled(): SrvError {
  return new SrvError('cancelled', 'the run was cancelled');
}

/** Runs: starts them, resumes those whose server died, ends them. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { checkWritable, descendingXid, failureText, partitionEpoch } from '@srv/lib-records';
import type { Repository } from '@srv/engine/contract';
import type { RunRequest } from '../contract.js';
import { collectMetadata, maintainMetadataFiles } from '../metadata/collect-metadata.js';
import type { MetadataAges, MetadataCounts } from '../metadata/collect-metadata.js';
import { lastSetAside } from '../metadata/set-aside.js';
import type { MarkContext, MarkRequest } from '../mark/context.js';
import { findKept, mark } from '../mark/mark.js';
import type { Kept } from '../mark/mark.js';
import { makePrivateFolder, ownRepositoryFolder } from '../private-folder.js';
import { Sorter } from '../worker/sorter.js';
import type { Sorting } from '../worker/sorter.js';
import { sweep } from '../sweep/sweep.js';
import { fetchList, storeList } from './garbage-list.js';
import { Lease, LeaseWatch, readLease } from './lease.js';
import type { LeaseTimes } from './lease.js';
import { pinsOf, sweepPins, writePins } from './pins.js';
import { writeReports } from './reports.js';
import { RunRecords, isOver } from './run-record.js';
import type { RunRecord } from './run-record.js';

export interface CollectorOptions extends Omit<MarkContext, 'sorter'> {
  readonly times: LeaseTimes;
  /** As for {@link LeaseWatch}. */
  readonly home?: string | undefined;
  /** Milliseconds. */
  readonly minAge: number;
  readonly rateLimit: number;
  readonly maxGarbagePercent: number;
  readonly quarantineDays: number;
  readonly metadataAges: MetadataAges;
  /** Who sorts for a run. Default: threads. */
  readonly openSorter?: () => Sorting;
  /** Called when a run has ended. */
  readonly measure?: (record: RunRecord) => void;
}

/** With fewer objects, the share of garbage means nothing. */
const fewObjects = 1000;
const sorterThreads = 2;
/** Milliseconds after files were set aside in which operations under way may still name them. */
const eagerTime = 3_600_000;
/** Milliseconds between two checks of them later. */
const maintenancePeriod = 6 * 3_600_000;
/** Milliseconds between two lists of progress. */
const progressPeriod = 1000;

interface Active {
  readonly work: Promise<void>;
  readonly stop: AbortController;
  readonly lease: Lease;
}

export class Collector {
  readonly records: RunRecords;
  readonly #options: CollectorOptions;
  readonly #watch: LeaseWatch;
  readonly #active = new Map<string, Active>();
  /** When metadata set aside was last looked after, by repository. */
  readonly #maintained = new Map<string, number>();
  #closed = false;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.records = new RunRecords(options.kv);
    this.#watch = new LeaseWatch(options.times, options.home);
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
    const { state } = await readLease(kv, repository);
    const lease = await this.#take(repository, state.run);
    if (!(lease instanceof Lease)) return;
    this.#maintained.set(repository.instanceUid, performance.now());
    try {
      const request = { repository, lease, signal: lease.lost, ages: metadataAges };
      await maintainMetadataFiles(request, { ...this.#options, records: this.records });
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
    const work = this.#work(repository, record, lease, stop.signal).finally(() => this.#active.delete(record.id));
    this.#active.set(record.id, { work, stop, lease });
  }

  /** The end is stored after the lease is released, so that a client that sees it can begin the next run. */
  async #work(repository: Repository, record: RunRecord, lease: Lease, signal: AbortSignal): Promise<void> {
    const folder = join(this.#options.cacheDir, repository.instanceUid, 'runs', record.id);
    const sorter = this.#options.openSorter?.() ?? new Sorter(sorterThreads);
    const context: MarkContext = { ...this.#options, sorter };
    let end: Partial<RunRecord> | undefined;
    try {
      await ownRepositoryFolder(this.#options.cacheDir, repository.instanceUid);
      await rm(folder, { recursive: true, force: true });
      await makePrivateFolder(folder);
      // What their operations refer to is there by now, and this run has read nothing yet.
      await sweepPins(this.#options.kv, repository, await pinsOf(this.#options.kv, repository));
      const request: MarkRequest = { repository, runId: record.id, now: new Date(), cutoff: new Date(record.cutoff), folder, signal };
      const marked = record.phase === 'marking' ? await this.#mark(request, record, context) : undefined;
      end =
        marked && !record.sweeps
          ? { phase: record.dryRun ? 'done' : 'marked' }
          : await this.#sweep(request, record, lease, context, marked);
      end = { ...end, ...(await this.#metadata(request, record, lease, end.error)) };
    } catch (error) {
      end = this.#failureOf(record, lease, error, signal);
    } finally {
      await sorter.close();
      await rm(folder, { recursive: true, force: true });
      await lease.release();
    }
    if (end) await this.#end(repository, record.id, end);
  }

  async #end(repository: Repository, run: string, end: Partial<RunRecord>): Promise<void> {
    const { log, measure } = this.#options;
    try {
      const record = await this.records.update(repository, run, () => end);
      measure?.(record);
      log.info({ repository: repository.id, run, phase: record.phase }, 'garbage collection run ended');
    } catch (error) {
      log.error({ repository: repository.id, run, error: messageOf(error) }, 'cannot store the outcome of a run');
    }
  }

  /** @returns what stays; the list of the garbage is in the store. */
  async #mark(request: MarkRequest, record: RunRecord, context: MarkContext): Promise<Kept> {
    const { repository, runId } = request;
    let noted = performance.now();
    const marked = await mark(request, context, listed => {
      if (performance.now() - noted < progressPeriod) return;
      noted = performance.now();
      this.#note(repository, runId, { listed });
    });
    try {
      const { listed, young, kept, candidates, candidateBytes } = marked;
      await this.records.update(repository, runId, () => ({ listed, young, kept, candidates, candidateBytes }));
      this.#checkShare(listed, candidates, record);
      if (!record.dryRun) {
        await storeList(repository, runId, marked.path, context);
        await writeReports({ repository, record, marked }, context);
      }
      if (record.sweeps) await this.records.update(repository, runId, () => ({ phase: 'sweeping' }));
      else marked.keep.close();
      return marked;
    } catch (error) {
      marked.keep.close();
      throw error;
    }
  }

  async #sweep(
    request: MarkRequest,
    record: RunRecord,
    lease: Lease,
    context: MarkContext,
    fresh: Kept | undefined,
  ): Promise<Partial<RunRecord>> {
    const { repository, runId, folder } = request;
    const kept = fresh ?? (await findKept(request, context));
    try {
      const path = join(folder, 'swept');
      await fetchList(repository, record.source, path, context);
      const { swept, deleted, deletedBytes, spared, failures } = await this.records.get(repository, runId);
      const prefix = await context.committed.folderOf(repository.storageNamespace);
      const progress = await sweep(
        {
          ...request,
          kept,
          lease,
          path,
          from: { swept, deleted, deletedBytes, spared, failures },
          quarantine: record.quarantineDays > 0 ? `${prefix}/quarantine/${runId}` : undefined,
          rateLimit: this.#options.rateLimit,
          note: async (now, failed) => {
            for (const { key, error } of failed.slice(0, 10))
              context.log.warn({ repository: repository.id, run: runId, key, error }, 'cannot remove garbage');
            const { cancelRequested } = await this.records.update(repository, runId, () => ({ ...now }));
            if (cancelRequested) this.#active.get(runId)?.stop.abort(cancelled());
          },
        },
        context,
      );
      const { failures: left } = progress;
      return {
        phase: 'done',
        ...(left > 0 ? { error: `${left} objects could not be removed; the log names some, the next run tries again` } : {}),
      };
    } finally {
      kept.keep.close();
    }
  }

  /** The objects are done by now: an error here is reported along with their outcome. */
  async #metadata(
    { repository, signal }: MarkRequest,
    { dryRun, sweeps, id }: RunRecord,
    lease: Lease,
    earlier: string | undefined,
  ): Promise<Partial<MetadataCounts> & Pick<Partial<RunRecord>, 'error'>> {
    const context = { ...this.#options, records: this.records };
    try {
      return await collectMetadata({ repository, lease, signal, dryRun: dryRun || !sweeps, ages: this.#options.metadataAges }, context);
    } catch (error) {
      if (signal.aborted || lease.lost.aborted) throw error;
      const failure = `metadata was not collected: ${failureText(error, id, this.#options.log)}`;
      return { error: earlier === undefined ? failure : `${earlier}; ${failure}` };
    }
  }

  #checkShare(listed: number, candidates: number, { force, dryRun }: RunRecord): void {
    const { maxGarbagePercent } = this.#options;
    if (force || dryRun || listed <= fewObjects || candidates * 100 <= listed * maxGarbagePercent) return;
    throw new SrvError(
      'conflict',
      `${candidates} of ${listed} objects are garbage, more than gc.max_garbage_percent (${maxGarbagePercent}) allows; look at a dry run, then force it`,
    );
  }

  /** `undefined` for a run that another process resumes, or whose server stops: it has not ended. */
  #failureOf({ id }: RunRecord, lease: Lease, error: unknown, signal: AbortSignal): Partial<RunRecord> | undefined {
    if (lease.lost.aborted || isSrvError(signal.reason, 'closed')) {
      // The lease stays like that of a dead server: the server that finds it continues the run.
      lease.abandon();
      return undefined;
    }
    if (isSrvError(signal.reason, 'cancelled')) return { phase: 'cancelled', error: messageOf(signal.reason) };
    return { phase: 'failed', error: failureText(error, id, this.#options.log) };
  }

  #note(repository: Repository, run: string, change: Partial<RunRecord>): void {
    this.records
      .update(repository, run, () => change)
      .then(({ cancelRequested }) => {
        if (cancelRequested) this.#active.get(run)?.stop.abort(cancelled());
      })
      .catch((error: unknown) => this.#options.log.warn({ run, error: messageOf(error) }, 'cannot store the progress of a run'));
  }
}

function cancelled(): SrvError {
  return new SrvError('cancelled', 'the run was cancelled');
}

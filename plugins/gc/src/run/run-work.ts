/** What a run does: marks, sweeps, collects metadata, and stores how it ended. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { failureText } from '@srv/lib-records';
import { namespaceOf } from '@srv/lib-stores/block';
import { collectFiles } from '../files/collect-files.js';
import { findKept, mark } from '../mark/mark.js';
import { collectMetadata } from '../metadata/collect-metadata.js';
import { makePrivateFolder, ownRepositoryFolder } from '../private-folder.js';
import { sweep } from '../sweep/sweep.js';
import { Sorter } from '../worker/sorter.js';
import { fetchList, storeList } from './garbage-list.js';
import { pinsOf, sweepPins } from './pins.js';
import { writeReports } from './reports.js';
import type { Repository } from '@srv/engine/contract';
import type { MarkContext, MarkRequest } from '../mark/context.js';
import type { Kept } from '../mark/mark.js';
import type { MetadataAges } from '../metadata/collect-metadata.js';
import type { Sorting } from '../worker/sorter.js';
import type { Lease } from './lease.js';
import type { RunRecord, RunRecords } from './run-record.js';

export interface RunWorkOptions extends Omit<MarkContext, 'sorter'> {
  readonly rateLimit: number;
  readonly maxGarbagePercent: number;
  readonly metadataAges: MetadataAges;
  /** Who sorts for a run. Default: threads. */
  readonly openSorter?: () => Sorting;
  /** Called when a run has ended. */
  readonly measure?: (record: RunRecord) => void;
}

/** A run, its lease, and what stops it. */
export interface RunUnderWay {
  readonly repository: Repository;
  readonly record: RunRecord;
  readonly lease: Lease;
  readonly signal: AbortSignal;
}

/** With fewer objects, the share of garbage means nothing. */
const fewObjects = 1000;
const sorterThreads = 2;
/** Milliseconds between two lists of progress. */
const progressPeriod = 1000;

export class RunWork {
  readonly #options: RunWorkOptions & { readonly cancel: (run: string) => void };
  readonly #records: RunRecords;

  /** @param options.cancel stops a run of this process whose record asks for it. */
  constructor(options: RunWorkOptions & { readonly cancel: (run: string) => void }, records: RunRecords) {
    this.#options = options;
    this.#records = records;
  }

  /** The end is stored after the lease is released, so that a client that sees it can begin the next run. */
  async carryOut({ repository, record, lease, signal }: RunUnderWay): Promise<void> {
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
      await this.#cleanUp(record.id, folder, sorter);
      await lease.release();
    }
    if (end) await this.#end(repository, record.id, end);
  }

  /** What fails here is logged: it neither changes how the run has ended, nor keeps the lease. */
  async #cleanUp(run: string, folder: string, sorter: Sorting): Promise<void> {
    const note = (error: unknown): void =>
      this.#options.log.warn(
        { run, path: folder, error: messageOf(error) },
        'cannot clean up after a run; its folder can be removed once the run is over',
      );
    await sorter.close().catch(note);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(note);
  }

  async #end(repository: Repository, run: string, end: Partial<RunRecord>): Promise<void> {
    const { log, measure } = this.#options;
    try {
      const record = await this.#records.update(repository, run, () => end);
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
      await this.#records.update(repository, runId, () => ({ listed, young, kept, candidates, candidateBytes }));
      this.#checkShare(listed, candidates, record);
      if (!record.dryRun) {
        await storeList(repository, runId, marked.path, context);
        await writeReports({ repository, record, marked }, context);
      }
      if (record.sweeps) await this.#records.update(repository, runId, () => ({ phase: 'sweeping' }));
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
      const { swept, deleted, deletedBytes, spared, failures } = await this.#records.get(repository, runId);
      const progress = await sweep(
        {
          ...request,
          kept,
          lease,
          path,
          from: { swept, deleted, deletedBytes, spared, failures },
          quarantine: await this.#quarantine(repository, record),
          rateLimit: this.#options.rateLimit,
          note: async (now, failed) => {
            for (const { key, error } of failed.slice(0, 10))
              context.log.warn({ repository: repository.id, run: runId, key, error }, 'cannot remove garbage');
            const { cancelRequested } = await this.#records.update(repository, runId, () => ({ ...now }));
            if (cancelRequested) this.#options.cancel(runId);
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
    { repository, signal, now, cutoff }: MarkRequest,
    record: RunRecord,
    lease: Lease,
    earlier: string | undefined,
  ): Promise<Partial<RunRecord>> {
    const { dryRun, sweeps, id } = record;
    const context = { ...this.#options, records: this.#records };
    const problems = earlier === undefined ? [] : [earlier];
    const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
      try {
        return await work();
      } catch (error) {
        if (signal.aborted || lease.lost.aborted) throw error;
        problems.push(`${what} not collected: ${failureText(error, id, this.#options.log)}`);
        return undefined;
      }
    };
    const { metadataAges: ages, rateLimit } = this.#options;
    const place = { repository, lease, signal, dryRun: dryRun || !sweeps };
    const quarantine = await this.#quarantine(repository, record);
    const metadata = await attempt('metadata was', () => collectMetadata({ ...place, ages }, context));
    const files = await attempt('files of plugins were', () =>
      collectFiles({ ...place, now, cutoff, runId: id, quarantine, rateLimit }, context),
    );
    const { problems: more = [], ...counts } = files ?? {};
    problems.push(...more);
    return { ...metadata, ...counts, ...(problems.length > 0 ? { error: problems.join('; ') } : {}) };
  }

  /** Folder for what a run removes and can bring back; `undefined`: nothing can. */
  async #quarantine(repository: Repository, { id, quarantineDays }: RunRecord): Promise<string | undefined> {
    return quarantineDays > 0 ? `${await this.#options.committed.folderOf(namespaceOf(repository))}/quarantine/${id}` : undefined;
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
    this.#records
      .update(repository, run, () => change)
      .then(({ cancelRequested }) => {
        if (cancelRequested) this.#options.cancel(run);
      })
      .catch((error: unknown) => this.#options.log.warn({ run, error: messageOf(error) }, 'cannot store the progress of a run'));
  }
}

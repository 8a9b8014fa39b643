/** Records of ended runs and the outputs of their hooks (actions sheet, sections 9.2 to 9.4). */
import { buffer } from 'node:stream/consumers';
import { SrvError, absent, isSrvError } from '@srv/kernel';
import { pageSize, recordsBelow } from '@srv/lib-records';
import { manifestOf } from './manifest.js';
import { RunFiles } from './run-files.js';
import { adoptedFolder, branchKey, commitKey, logObject, manifestObject, partition, runKey, sourceKey, taskKey } from './run-keys.js';
import { decodeIndex, decodeRun, decodeTask, encodeIndex, encodeRun, encodeTask } from './run-record.js';
import type { Page, PageRequest } from '@srv/engine/contract';
import type { KvStore } from '@srv/kernel';
import type { RecordBelow } from '@srv/lib-records';
import type { RunFilesOptions, RunRepository } from './run-files.js';
import type { RunRecord, TaskRecord } from './run-record.js';

interface PageOfRuns {
  readonly branch?: string | undefined;
  readonly commit?: string | undefined;
  /** Of merges: the commit that is merged. */
  readonly source?: string;
  readonly after?: string | undefined;
  readonly amount?: number | undefined;
}

interface RunStoreOptions extends RunFilesOptions {
  readonly kv: KvStore;
  /** Folder of metadata inside a namespace. */
  readonly folder: string;
}

const runIdLength = 20;
/** Records read or written at the same time. */
const parallel = 16;

export class RunStore {
  readonly #options: RunStoreOptions;
  readonly #files: RunFiles;

  constructor(options: RunStoreOptions) {
    this.#options = options;
    this.#files = new RunFiles(options);
  }

  /**
   * Tasks first, the run last: readers never see a run without its tasks. Durable when it resolves. Of a repository that has been deleted
   * nothing is stored, nor stays.
   */
  async save(place: RunRepository, run: RunRecord, tasks: readonly TaskRecord[]): Promise<void> {
    if (await this.#files.isDeleted(place)) return;
    await this.#store(place, run, tasks);
    if (await this.#files.isDeleted(place)) await this.remove(place, run);
  }

  async #store(place: RunRepository, run: RunRecord, tasks: readonly TaskRecord[]): Promise<void> {
    const { kv } = this.#options;
    const { repository } = place;
    const manifest = this.#files.put(place, manifestObject(this.#options.folder, run.runId), manifestOf(run, tasks));
    // It may fail before it is waited for.
    manifest.catch(() => undefined);
    try {
      for (let at = 0; at < tasks.length; at += parallel)
        await Promise.all(
          tasks
            .slice(at, at + parallel)
            .map(task => kv.setIf(partition, taskKey(repository, run.runId, task.hookRunId), encodeTask(task), absent)),
        );
      await this.#index(repository, run);
      await kv.set(partition, runKey(repository, run.runId), encodeRun(run));
    } finally {
      await manifest;
    }
  }

  /** Stores the commit that resulted from a run's event. Does nothing for an unknown run. */
  async setCommit(place: RunRepository, runId: string, commitId: string): Promise<void> {
    const run = await this.find(place.repository, runId);
    if (!run) return;
    const linked = { ...run, commitId };
    await this.#index(place.repository, { ...linked, branch: '' });
    await this.#options.kv.set(partition, runKey(place.repository, runId), encodeRun(linked));
    const { results: tasks } = await this.tasks(place.repository, runId, { amount: Number.POSITIVE_INFINITY });
    await this.#files.put(place, manifestObject(this.#options.folder, runId), manifestOf(linked, tasks));
  }

  async find(repository: string, runId: string): Promise<RunRecord | undefined> {
    const found = await this.#options.kv.get(partition, runKey(repository, runId));
    return found && decodeRun(found.value);
  }

  /** Newest first. */
  async list(repository: string, { after, amount, ...filter }: PageOfRuns): Promise<Page<RunRecord>> {
    const limit = pageSize(amount);
    const index = indexOf(repository, filter);
    const isIndex = index !== undefined;
    const prefix = index ?? runKey(repository, '');
    const results: RunRecord[] = [];
    for await (const found of inGroups(this.#below(prefix, after), isIndex ? parallel : 1)) {
      const entries = found.filter(({ name }) => name.length === runIdLength);
      const runs = await Promise.all(entries.map(async ({ value }) => (isIndex ? this.#indexed(decodeIndex(value)) : decodeRun(value))));
      for (const run of runs) {
        if (!run) continue;
        if (results.length === limit) return { results, hasMore: true, nextOffset: results.at(-1)?.runId ?? '' };
        results.push(run);
      }
    }
    return { results, hasMore: false, nextOffset: '' };
  }

  async findTask(repository: string, runId: string, hookRunId: string): Promise<TaskRecord | undefined> {
    const found = await this.#options.kv.get(partition, taskKey(repository, runId, hookRunId));
    return found && decodeTask(found.value);
  }

  /** @param page.amount may be infinite. */
  async tasks(repository: string, runId: string, page: Pick<PageRequest, 'after' | 'amount'>): Promise<Page<TaskRecord>> {
    const limit = page.amount === Number.POSITIVE_INFINITY ? page.amount : pageSize(page.amount);
    const results: TaskRecord[] = [];
    for await (const { value } of this.#below(taskKey(repository, runId, ''), page.after)) {
      if (results.length === limit) return { results, hasMore: true, nextOffset: results.at(-1)?.hookRunId ?? '' };
      results.push(decodeTask(value));
    }
    return { results, hasMore: false, nextOffset: '' };
  }

  async putOutput(place: RunRepository, runId: string, hookRunId: string, output: Buffer): Promise<void> {
    await this.#files.put(place, logObject(this.#options.folder, runId, hookRunId), output);
  }

  /** Runs made elsewhere keep their outputs in another folder. @throws SrvError `no_data`. */
  async output(place: RunRepository, runId: string, hookRunId: string): Promise<Buffer> {
    for (const folder of new Set([this.#options.folder, adoptedFolder])) {
      try {
        return await buffer(await this.#files.get(place, logObject(folder, runId, hookRunId)));
      } catch (error) {
        if (!isSrvError(error, 'no_data')) throw error;
      }
    }
    throw new SrvError('no_data', `output of hook run ${hookRunId} of run ${runId}: no data`);
  }

  /** Removes everything of a run, its record last: what is interrupted is found again. */
  async remove(place: RunRepository, run: RunRecord): Promise<void> {
    const { kv, folder } = this.#options;
    const { repository } = place;
    const { results: tasks } = await this.tasks(repository, run.runId, { amount: Number.POSITIVE_INFINITY });
    for (const { hookRunId } of tasks) {
      await this.#files.remove(place, logObject(folder, run.runId, hookRunId));
      await kv.delete(partition, taskKey(repository, run.runId, hookRunId));
    }
    await this.#files.remove(place, manifestObject(folder, run.runId));
    if (run.branch) await kv.delete(partition, branchKey(repository, run.branch, run.runId));
    if (run.commitId) await kv.delete(partition, commitKey(repository, run.commitId, run.runId));
    if (isMerge(run)) await kv.delete(partition, sourceKey(repository, run.sourceRef, run.runId));
    await kv.delete(partition, runKey(repository, run.runId));
  }

  async #index(repository: string, run: RunRecord): Promise<void> {
    const { kv } = this.#options;
    const { runId, branch, commitId, sourceRef } = run;
    const index = encodeIndex(runKey(repository, runId));
    await Promise.all([
      branch ? kv.set(partition, branchKey(repository, branch, runId), index) : undefined,
      commitId ? kv.set(partition, commitKey(repository, commitId, runId), index) : undefined,
      isMerge(run) ? kv.set(partition, sourceKey(repository, sourceRef, runId), index) : undefined,
    ]);
  }

  async #indexed(primaryKey: Buffer): Promise<RunRecord | undefined> {
    const found = primaryKey.length === 0 ? undefined : await this.#options.kv.get(partition, primaryKey);
    return found && decodeRun(found.value);
  }

  /** Entries whose keys start with the prefix, by what follows it. @param after exclusive. */
  #below(prefix: Buffer, after = ''): AsyncGenerator<RecordBelow> {
    return recordsBelow(this.#options.kv, partition, prefix, { start: after === '' ? '' : `${after}\0` });
  }
}

const isMerge = ({ eventType }: RunRecord): boolean => eventType === 'pre-merge';

/** Prefix of an index; absent: all runs. */
function indexOf(repository: string, { branch, commit, source }: PageOfRuns): Buffer | undefined {
  if (branch !== undefined) return branchKey(repository, branch, '');
  if (commit !== undefined) return commitKey(repository, commit, '');
  return source === undefined ? undefined : sourceKey(repository, source, '');
}

async function* inGroups<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let group: T[] = [];
  for await (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

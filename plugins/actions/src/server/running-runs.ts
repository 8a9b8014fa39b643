/**
 * Runs in progress, as records: when a server dies, another one, or the next start, reports them as failed. Every server
 * gives signs of life while it has any.
 */
import { messageOf } from '@srv/kernel';
import { SignsOfLife, recordsBelow } from '@srv/lib-records';
import { partition, runningKey } from './run-keys.js';
import type { KvStore, Logger } from '@srv/kernel';
import type { StillWatch } from '@srv/lib-records';
import type { RunFacts } from './run-facts.js';
import type { RunRepository } from './run-files.js';

export interface RunningHook {
  readonly hookRunId: string;
  readonly hookId: string;
  readonly action: string;
  readonly state: 'waiting' | 'running' | 'passed' | 'failed' | 'skipped';
  /** Milliseconds since 1970; 0: not yet. */
  readonly start: number;
  readonly end: number;
}

export interface RunningRun extends RunRepository {
  readonly runId: string;
  readonly branch: string;
  readonly commitId: string;
  readonly sourceRef: string;
  readonly eventType: string;
  readonly start: number;
  readonly facts?: RunFacts | undefined;
  readonly hooks: readonly RunningHook[];
}

interface RunningRunsOptions {
  readonly kv: KvStore;
  readonly log: Logger;
  /** Of this server, among all that use the database. */
  readonly instance: string;
  /** Of the signs of other servers. */
  readonly watch?: StillWatch;
}

export class RunningRuns {
  readonly #options: RunningRunsOptions;
  readonly #writes = new Map<string, { next: RunningRun | undefined; done: Promise<void> }>();
  readonly #mine = new Set<string>();
  readonly #signs: SignsOfLife;

  constructor(options: RunningRunsOptions) {
    this.#options = options;
    this.#signs = new SignsOfLife({ ...options, partition });
  }

  /** Durable when it resolves. */
  async begin(run: RunningRun): Promise<void> {
    await this.#signs.begin();
    this.#mine.add(run.runId);
    try {
      await this.#write(run);
    } catch (error) {
      // It may have been stored: then this server would show it as running until it stops.
      await this.#forget(run).catch(() => undefined);
      this.abandon(run.runId);
      throw error;
    }
  }

  /** Notes progress without waiting; of several changes at once the last one is written. */
  change(run: RunningRun): void {
    const writing = this.#writes.get(run.runId);
    if (writing) {
      writing.next = run;
      return;
    }
    const state: { next: RunningRun | undefined; done: Promise<void> } = { next: run, done: Promise.resolve() };
    this.#writes.set(run.runId, state);
    state.done = this.#writeAll(state)
      .catch((error: unknown) =>
        this.#options.log.warn({ run_id: run.runId, error: messageOf(error) }, 'cannot store the progress of a run'),
      )
      .finally(() => this.#writes.delete(run.runId));
  }

  /** The records of an ended run are stored: it is no longer in progress. */
  async end({ repository, runId }: Pick<RunningRun, 'repository' | 'runId'>): Promise<void> {
    const writing = this.#writes.get(runId);
    if (writing) {
      writing.next = undefined;
      await writing.done;
    }
    await this.#forget({ repository, runId });
    this.abandon(runId);
  }

  /** Its records could not be stored: another server, or the next start, reports it as failed. */
  abandon(runId: string): void {
    if (this.#mine.delete(runId)) this.#signs.end();
  }

  /** One of any server; `undefined` when it is not in progress. */
  async find(repository: string, runId: string): Promise<RunningRun | undefined> {
    for await (const { run } of this.#all()) if (run.repository === repository && run.runId === runId) return run;
    return undefined;
  }

  /** Those of any server in a repository. */
  async *of(repository: string): AsyncGenerator<RunningRun> {
    for await (const { run } of this.#all()) if (run.repository === repository) yield run;
  }

  /** Runs whose server gave no sign of life for too long, with what forgets them. */
  async *orphans(): AsyncGenerator<{ readonly run: RunningRun; readonly forget: () => Promise<void> }> {
    const { kv, instance } = this.#options;
    const gone = new Map<string, boolean>();
    for await (const { key, owner, run } of this.#all()) {
      if (owner === instance) continue;
      const isGone = gone.get(owner) ?? (await this.#signs.isGone(owner));
      gone.set(owner, isGone);
      if (isGone) yield { run, forget: () => kv.delete(partition, key) };
    }
    for (const [owner, isGone] of gone) if (isGone) await this.#signs.forget(owner);
  }

  stop(): Promise<void> {
    return this.#signs.stop();
  }

  async *#all(): AsyncGenerator<{ readonly key: Buffer; readonly owner: string; readonly run: RunningRun }> {
    for await (const { key, name, value } of recordsBelow(this.#options.kv, partition, 'running/')) {
      const [owner = ''] = name.split('/');
      yield { key, owner, run: decodeRunning(value) };
    }
  }

  async #writeAll(state: { next: RunningRun | undefined }): Promise<void> {
    while (state.next) {
      const run = state.next;
      state.next = undefined;
      await this.#write(run);
    }
  }

  #forget({ repository, runId }: Pick<RunningRun, 'repository' | 'runId'>): Promise<void> {
    return this.#options.kv.delete(partition, runningKey(this.#options.instance, repository, runId));
  }

  #write(run: RunningRun): Promise<void> {
    return this.#options.kv.set(partition, runningKey(this.#options.instance, run.repository, run.runId), encodeRunning(run));
  }
}

function encodeRunning(run: RunningRun): Buffer {
  return Buffer.from(JSON.stringify(run));
}

export function decodeRunning(value: Buffer): RunningRun {
  return JSON.parse(value.toString('utf8')) as RunningRun;
}

/**
 * Runs in progress, as records: when a server dies, another one, or the next start, reports them as failed. Every server
 * gives signs of life while it has any.
 */
import { messageOf } from '@srv/kernel';
import type { KvStore, Logger } from '@srv/kernel';
import { ProtoWriter, dateOf, readFields, readTimestamp, timestampOf } from '@srv/lib-records';
import { instanceKey, partition, runningKey } from './run-keys.js';
import type { RunRepository } from './run-store.js';

/** Milliseconds between signs of life, and without one until a server counts as gone. */
const beatPeriod = 5000;
export const beatExpiry = 30_000;

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
  readonly hooks: readonly RunningHook[];
}

interface RunningRunsOptions {
  readonly kv: KvStore;
  readonly log: Logger;
  /** Of this server, among all that use the database. */
  readonly instance: string;
  /** Milliseconds; default: {@link beatExpiry}, and 0 where one process alone can use the database. */
  readonly expiry?: number;
}

export class RunningRuns {
  readonly #options: RunningRunsOptions;
  readonly #writes = new Map<string, { next: RunningRun | undefined; done: Promise<void> }>();
  readonly #mine = new Set<string>();
  #heart: NodeJS.Timeout | undefined;
  /** Milliseconds since 1970. */
  #beatAt = 0;

  constructor(options: RunningRunsOptions) {
    this.#options = options;
  }

  /** Durable when it resolves. */
  async begin(run: RunningRun): Promise<void> {
    if (this.#mine.size === 0) {
      if (Date.now() - this.#beatAt > beatPeriod / 2) await this.#beat();
      this.#heart ??= setInterval(() => {
        this.#beat().catch((error: unknown) => this.#options.log.warn({ error: messageOf(error) }, 'heartbeat of runs failed'));
      }, beatPeriod).unref();
    }
    this.#mine.add(run.runId);
    await this.#write(run);
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
    await this.#options.kv.delete(partition, runningKey(this.#options.instance, repository, runId));
    this.abandon(runId);
  }

  /** Its records could not be stored: another server, or the next start, reports it as failed. */
  abandon(runId: string): void {
    this.#mine.delete(runId);
    if (this.#mine.size === 0) this.#rest();
  }

  /** One of any server; `undefined` when it is not in progress. */
  async find(repository: string, runId: string): Promise<RunningRun | undefined> {
    for await (const { run } of this.#all()) if (run.repository === repository && run.runId === runId) return run;
    return undefined;
  }

  /** Runs whose server gave no sign of life for too long, with what forgets them. */
  async *orphans(): AsyncGenerator<{ readonly run: RunningRun; readonly forget: () => Promise<void> }> {
    const { kv, instance, expiry = beatExpiry } = this.#options;
    const gone = new Map<string, boolean>();
    for await (const { key, owner, run } of this.#all()) {
      if (owner === instance) continue;
      const isGone = gone.get(owner) ?? !(await this.#isAlive(owner, expiry));
      gone.set(owner, isGone);
      if (isGone) yield { run, forget: () => kv.delete(partition, key) };
    }
    for (const [owner, isGone] of gone) if (isGone) await kv.delete(partition, instanceKey(owner));
  }

  async stop(): Promise<void> {
    this.#rest();
    if (this.#mine.size === 0) await this.#options.kv.delete(partition, instanceKey(this.#options.instance)).catch(() => {});
  }

  async *#all(): AsyncGenerator<{ readonly key: Buffer; readonly owner: string; readonly run: RunningRun }> {
    const start = Buffer.from('running/');
    for await (const page of this.#options.kv.scan(partition, { start })) {
      for (const { key, value } of page) {
        if (!key.subarray(0, start.length).equals(start)) return;
        const [, owner = ''] = key.toString('utf8').split('/');
        yield { key, owner, run: decodeRunning(value) };
      }
    }
  }

  async #writeAll(state: { next: RunningRun | undefined }): Promise<void> {
    while (state.next) {
      const run = state.next;
      state.next = undefined;
      await this.#write(run);
    }
  }

  #write(run: RunningRun): Promise<void> {
    return this.#options.kv.set(partition, runningKey(this.#options.instance, run.repository, run.runId), encodeRunning(run));
  }

  async #isAlive(owner: string, expiry: number): Promise<boolean> {
    const found = await this.#options.kv.get(partition, instanceKey(owner));
    return found !== undefined && Date.now() - decodeBeat(found.value).getTime() < expiry;
  }

  async #beat(): Promise<void> {
    const now = new Date();
    await this.#options.kv.set(partition, instanceKey(this.#options.instance), new ProtoWriter().timestamp(1, timestampOf(now)).finish());
    this.#beatAt = now.getTime();
  }

  #rest(): void {
    clearInterval(this.#heart);
    this.#heart = undefined;
  }
}

export function decodeBeat(bytes: Buffer): Date {
  for (const { field, bytes: value } of readFields(bytes, 'sign of life'))
    if (field === 1) return dateOf(readTimestamp(value, 'sign of life'));
  return new Date(0);
}

function encodeRunning(run: RunningRun): Buffer {
  return Buffer.from(JSON.stringify(run));
}

export function decodeRunning(value: Buffer): RunningRun {
  return JSON.parse(value.toString('utf8')) as RunningRun;
}

/** Long operations that outlive the request that started them (refs rules, section 13.1). */

import { randomBytes } from 'node:crypto';
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { SignsOfLife, failureText, partitionOf, persistently, recordsBelow, signExpiry, xid } from '@srv/lib-records';
import { decodeTask, encodeTask } from './messages/task.js';
import { TaskMeters } from './task-meter.js';
import type { ErrorCode, KvStore, Logger } from '@srv/kernel';
import type { Metrics } from '@srv/kernel/metrics';
import type { Repository } from '../refs/contract.js';
import type { BackgroundTasks, Task } from './contract.js';
import type { TaskRecord } from './messages/task.js';

/** Letters every task id of a kind begins with; ids of dumps and restores are those of existing clients. */
const catalogKinds = { dump_refs: 'DR', restore_refs: 'RR', commit_async: 'CO', merge_async: 'ME', move_storage: 'MV' } as const;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const idLength = 20;

/** Partition of the signs of life of servers. */
export const heartbeatPartition = 'catalog';
/** Milliseconds after which a task, or a sign of life, is forgotten. */
const recordLife = 86_400_000;
const expiredStatus = 408;
const failedStatus = 500;
/** What callers can do something about. */
const refusedStatus: Partial<Record<ErrorCode, number>> = {
  no_changes: 400,
  dirty_branch: 400,
  invalid: 400,
  protected: 403,
  read_only: 403,
  not_found: 404,
  conflict: 409,
  not_unique: 409,
  hook_aborted: 412,
  precondition_failed: 412,
};

interface TasksOptions {
  readonly kv: KvStore;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Says how far a task has come. */
export type Progress = (progress: number) => Promise<void>;

export class Tasks implements BackgroundTasks {
  readonly #prefixes = new Map<string, string>(Object.entries(catalogKinds));
  readonly #options: TasksOptions;
  readonly #meters: TaskMeters;
  readonly #instance = xid();
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #signs: SignsOfLife;

  constructor(options: TasksOptions) {
    this.#options = options;
    this.#meters = new TaskMeters(options.metrics);
    this.#signs = new SignsOfLife({ kv: options.kv, log: options.log, partition: heartbeatPartition, instance: this.#instance });
  }

  /** @throws SrvError `plugin` when the kind or its letters are taken. */
  define(kind: string, prefix: string): void {
    const other = [...this.#prefixes].find(([name, letters]) => name === kind || letters === prefix);
    if (other) throw new SrvError('plugin', `task kind ${kind} (${prefix}) is taken by ${other[0]} (${other[1]})`);
    this.#prefixes.set(kind, prefix);
  }

  async submit(
    repository: Repository,
    operation: string,
    work: (progress: Progress, signal: AbortSignal) => Promise<Buffer>,
  ): Promise<string> {
    const id = newTaskId(this.#prefixOf(operation));
    let task: TaskRecord = {
      id,
      operation,
      done: false,
      updatedAt: new Date(),
      progress: 0,
      error: '',
      statusCode: 0,
      owner: this.#instance,
      info: Buffer.alloc(0),
    };
    const save = async (change: Partial<TaskRecord>): Promise<void> => {
      task = { ...task, ...change, updatedAt: new Date() };
      await this.#options.kv.set(partitionOf(repository), taskKey(id), encodeTask(task));
    };
    const { log } = this.#options;
    await this.#signs.begin();
    try {
      await save({});
    } catch (error) {
      this.#signs.end();
      throw error;
    }
    const running = this.#meters
      .run(operation, () => work(progress => save({ progress }), this.#stop.signal))
      .then(
        (info): Partial<TaskRecord> => ({ done: true, info, statusCode: 200 }),
        (error: unknown) => ({ done: true, error: failureText(error, id, log), statusCode: statusOf(error) }),
      )
      // The work is done: that this cannot be stored now does not make it a failure.
      .then(end => persistently(() => save(end), { signal: this.#stop.signal, log, what: { task: id } }))
      .catch((error: unknown) => log.error({ task: id, error: messageOf(error) }, 'cannot store the end of a task'))
      .finally(() => {
        this.#running.delete(running);
        this.#signs.end();
      });
    this.#running.add(running);
    return id;
  }

  async get(repository: Repository, operation: string, id: string): Promise<Task & { readonly info: Buffer }> {
    const prefix = this.#prefixOf(operation);
    const wellFormed = id.startsWith(prefix) && id.length === prefix.length + idLength;
    const found = wellFormed ? await this.#options.kv.get(partitionOf(repository), taskKey(id)) : undefined;
    if (!found) throw new SrvError('not_found', `task ${JSON.stringify(id)}: not found`, { details: { task: id } });
    const record = decodeTask(found.value);
    if (record.done || (await this.#isAlive(record.owner, record.updatedAt))) return taskOf(record);
    const expired = { ...record, done: true, error: 'Task owner instance no longer available. Please retry.', statusCode: expiredStatus };
    // Noted once for all servers; simultaneous requests get the same answer.
    const noted = await this.#options.kv.setIf(partitionOf(repository), taskKey(id), encodeTask(expired), found.predicate);
    if (noted) this.#meters.expired(operation);
    return taskOf(expired);
  }

  /** Removes tasks of a repository that ended, or stopped, a day ago: one that still runs may say nothing for longer. */
  async clean(repository: Repository): Promise<void> {
    const { kv } = this.#options;
    const partition = partitionOf(repository);
    for await (const { key, value } of recordsBelow(kv, partition, taskKey(''))) {
      const { done, owner, updatedAt } = decodeTask(value);
      if (Date.now() - updatedAt.getTime() <= recordLife) continue;
      if (done || !(await this.#isAlive(owner, updatedAt))) await kv.delete(partition, key);
    }
  }

  /** Cancels what runs and waits for its end. */
  async stop(): Promise<void> {
    this.#stop.abort(new SrvError('closed', 'the server is stopping'));
    await Promise.all(this.#running);
    await this.#signs.stop();
  }

  #prefixOf(kind: string): string {
    const prefix = this.#prefixes.get(kind);
    if (prefix === undefined) throw new SrvError('plugin', `task kind ${kind} is not defined`);
    return prefix;
  }

  /** Tasks of servers that give no signs, as other programs have them, count as alive while they are changed. */
  async #isAlive(owner: string, updatedAt: Date): Promise<boolean> {
    if (!(await this.#signs.isGone(owner))) return true;
    return this.#options.kv.isShared && Date.now() - updatedAt.getTime() < signExpiry;
  }
}

function taskOf({ id, done, updatedAt, progress, info, error, statusCode }: TaskRecord): Task & { readonly info: Buffer } {
  return { id, done, updatedAt, progress, info, ...(error ? { error, statusCode } : {}) };
}

function statusOf(error: unknown): number {
  return (isSrvError(error) && refusedStatus[error.code]) || failedStatus;
}

function taskKey(id: string): Buffer {
  return Buffer.from(`tasks/${id}`);
}

function newTaskId(prefix: string): string {
  return prefix + Array.from(randomBytes(idLength), byte => alphabet[byte % alphabet.length]).join('');
}

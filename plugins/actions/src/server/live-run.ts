/** One run in progress on this server: its hooks, their outputs, and the resulting records. */

import { messageOf } from '@srv/kernel';
import { never } from '../wire-time.js';
import { factsOf } from './run-facts.js';
import type { EventRecord, Logger } from '@srv/kernel';
import type { HookRun } from './execution.js';
import type { RunRecord, TaskRecord } from './run-record.js';
import type { RunStore } from './run-store.js';
import type { RunningRun } from './running-runs.js';

/** Milliseconds between two writes of the output of a hook that runs, for readers of other servers. */
const flushPeriod = 1000;

export class LiveRun {
  readonly event: EventRecord;
  readonly planned: readonly (readonly HookRun[])[];
  readonly start = new Date();
  readonly #store: RunStore;
  readonly #log: Logger;
  readonly #flushed = new Map<HookRun, number>();
  #flushing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(event: EventRecord, planned: readonly (readonly HookRun[])[], store: RunStore, log: Logger) {
    this.event = event;
    this.planned = planned;
    this.#store = store;
    this.#log = log;
  }

  get hooks(): readonly HookRun[] {
    return this.planned.flat();
  }

  /** Writes outputs from time to time, until {@link unpublish}. */
  publish(): void {
    this.#timer = setInterval(() => {
      this.#flushing = this.#flushing.then(() => this.#flush());
    }, flushPeriod).unref();
  }

  async unpublish(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flushing;
  }

  /** Stores the whole output of a hook that has ended. */
  async store({ hookRunId, output }: HookRun): Promise<void> {
    await this.#flushing;
    await this.#store.putOutput(this.event, this.event.runId, hookRunId, output.bytes);
  }

  describe(): RunningRun {
    const { runId, repository, storageNamespace, storageId, instanceUid, branch = '', commitId = '', sourceRef, type } = this.event;
    const facts = factsOf(this.event);
    return {
      runId,
      repository,
      storageNamespace,
      storageId,
      instanceUid,
      branch,
      commitId,
      sourceRef,
      eventType: type,
      start: this.start.getTime(),
      facts,
      hooks: this.hooks.map(({ hookRunId, hook, action, state, start, end }) => ({
        hookRunId,
        hookId: hook.id,
        action: action.name,
        state,
        start: start === never ? 0 : start.getTime(),
        end: end === never ? 0 : end.getTime(),
      })),
    };
  }

  async #flush(): Promise<void> {
    for (const run of this.hooks) {
      const { length } = run.output;
      if (run.state !== 'running' || length === (this.#flushed.get(run) ?? 0)) continue;
      try {
        await this.#store.putOutput(this.event, this.event.runId, run.hookRunId, run.output.bytes);
        this.#flushed.set(run, length);
      } catch (error) {
        this.#log.debug(
          { run_id: this.event.runId, hook_run_id: run.hookRunId, error: messageOf(error) },
          'cannot store the output of a hook yet',
        );
      }
    }
  }
}

/** The record of a run that has ended, or will not continue: hooks that did not start count as skipped. */
export function recordsOf(run: RunningRun): { readonly run: RunRecord; readonly tasks: readonly TaskRecord[] } {
  const tasks = run.hooks.map(({ hookRunId, hookId, action, state, start, end }) => {
    const began = state === 'passed' || state === 'failed';
    return {
      runId: run.runId,
      hookRunId,
      hookId,
      action,
      start: began ? new Date(start) : never,
      end: began ? new Date(end) : never,
      passed: state === 'passed',
    };
  });
  const began = tasks.filter(({ start }) => start !== never);
  const { runId, branch, commitId, sourceRef, eventType, facts } = run;
  return {
    run: {
      runId,
      branch,
      commitId,
      sourceRef,
      eventType,
      start: began.length === 0 ? never : new Date(Math.min(...began.map(({ start }) => start.getTime()))),
      end: began.length === 0 ? never : new Date(Math.max(...began.map(({ end }) => end.getTime()))),
      passed: run.hooks.every(({ state }) => state !== 'failed'),
      facts,
    },
    tasks,
  };
}

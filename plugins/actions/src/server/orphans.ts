/** Runs whose server is gone are reported as failed, with the reason in the output of the hook that ran. */
import { isSrvError, messageOf } from '@srv/kernel';
import { isNever } from '../wire-time.js';
import { recordsOf } from './live-run.js';
import type { Logger } from '@srv/kernel';
import type { RunStore } from './run-store.js';
import type { RunningHook, RunningRun, RunningRuns } from './running-runs.js';

const reason = 'Error: action failed: the server was gone before the hook ended\n';
/** Milliseconds between two searches. */
const period = 15_000;

interface OrphansOptions {
  readonly running: Pick<RunningRuns, 'orphans'>;
  readonly store: RunStore;
  readonly log: Logger;
}

export class Orphans {
  readonly #options: OrphansOptions;
  #timer: NodeJS.Timeout | undefined;
  #searching: Promise<void> | undefined;
  #stopped = false;

  constructor(options: OrphansOptions) {
    this.#options = options;
  }

  /** Searches now and then again and again. */
  start(): void {
    const search = (): void => void this.search();
    search();
    this.#timer = setInterval(search, period).unref();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#searching;
  }

  /** Never rejects; one search at a time. */
  search(): Promise<void> {
    this.#searching ??= this.#reportAll()
      .catch((error: unknown) =>
        this.#options.log.warn({ error: messageOf(error) }, 'search for interrupted runs failed; it will be tried again'),
      )
      .finally(() => {
        this.#searching = undefined;
      });
    return this.#searching;
  }

  async #reportAll(): Promise<void> {
    const { running, log } = this.#options;
    for await (const { run, forget } of running.orphans()) {
      if (this.#stopped) return;
      try {
        await this.#report(run);
        await forget();
      } catch (error) {
        const { repository, runId } = run;
        log.warn({ repository, run_id: runId, error: messageOf(error) }, 'an interrupted run was not recorded; it will be tried again');
      }
    }
  }

  async #report(run: RunningRun): Promise<void> {
    const { store, log } = this.#options;
    // Stored already when the server died just before it could forget the run.
    if (await store.find(run.repository, run.runId)) return;
    await report(run, store);
    log.warn({ repository: run.repository, run_id: run.runId, event: run.eventType }, 'a run was interrupted; it is recorded as failed');
  }
}

async function report(noted: RunningRun, store: RunStore): Promise<void> {
  const now = Date.now();
  const run = { ...noted, hooks: await caughtUp(noted, store) };
  const begun = run.hooks.filter(({ state }) => state === 'running');
  // Between two hooks: the next one is the one that did not end.
  const interrupted = begun.length > 0 ? begun : run.hooks.filter(({ state }) => state === 'waiting').slice(0, 1);
  for (const { hookRunId } of interrupted) {
    const before = await store.output(run, run.runId, hookRunId).catch((error: unknown) => {
      if (isSrvError(error, 'no_data')) return Buffer.alloc(0);
      throw error;
    });
    await store.putOutput(run, run.runId, hookRunId, Buffer.concat([before, Buffer.from(reason)]));
  }
  const hooks = run.hooks.map(hook =>
    interrupted.includes(hook)
      ? { ...hook, state: 'failed' as const, start: hook.start || run.start, end: Math.max(now, hook.start) }
      : hook,
  );
  const records = recordsOf({ ...run, hooks });
  await store.save(run, records.run, records.tasks);
}

/** Progress records may be older than the stored results, which take precedence. */
async function caughtUp(run: RunningRun, store: RunStore): Promise<readonly RunningHook[]> {
  const { results: tasks } = await store.tasks(run.repository, run.runId, { amount: Number.POSITIVE_INFINITY });
  const stored = new Map(tasks.map(task => [task.hookRunId, task]));
  return run.hooks.map(hook => {
    const task = stored.get(hook.hookRunId);
    if (!task) return hook;
    if (!task.passed && isNever(task.start)) return { ...hook, state: 'skipped' };
    return { ...hook, state: task.passed ? 'passed' : 'failed', start: task.start.getTime(), end: task.end.getTime() };
  });
}

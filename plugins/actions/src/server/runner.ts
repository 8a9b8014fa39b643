/** Answers the events of repositories: finds the actions they start, runs them, records the runs. */

import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { persistently } from '@srv/lib-records';
import { LRUCache } from 'lru-cache';
import { isAfter } from '../files/event-types.js';
import { select } from '../files/selection.js';
import { errorList, execute, failureText, plannedHooks } from './execution.js';
import { LiveRun, recordsOf } from './live-run.js';
import { Places } from './places.js';
import type { Activity, EventDetails, EventRecord, Logger, ServiceRegistry } from '@srv/kernel';
import type { Action, HookTypes } from '../files/action-file.js';
import type { ActionSource, LoadedActions } from './action-source.js';
import type { EnvironmentSettings } from './environment.js';
import type { ExecutionWatcher, HookRun } from './execution.js';
import type { HookMeters } from './meters.js';
import type { RunStore } from './run-store.js';
import type { RunningRuns } from './running-runs.js';

interface RunnerOptions {
  readonly source: Pick<ActionSource, 'load'>;
  readonly store: RunStore;
  readonly running: RunningRuns;
  readonly hookTypes: HookTypes;
  /** What plugins add to an event. Default: nothing. */
  readonly describe?: (event: EventRecord) => Promise<EventDetails>;
  readonly environment: EnvironmentSettings;
  readonly services: Pick<ServiceRegistry, 'get' | 'find'>;
  readonly meters: HookMeters;
  /** For statistics. */
  readonly count: (activity: Activity) => void;
  readonly log: Logger;
  /** `post-` events whose hooks run at the same time. */
  readonly concurrency: number;
}

/** Operations whose `post-` event names the commit that resulted from the `pre-` event. */
const linking: readonly string[] = ['post-commit', 'post-revert', 'post-cherry-pick'];
/** Milliseconds in which it is tried to store the records of a run that nothing waits for. */
const recordingTime = 60_000;
/** @bound runs of `pre-` events remembered until their operation is through */
const rememberedRuns = 10_000;
/** @bound operations between a `pre-` event that started nothing and their `post-` event */
const rememberedLoads = 1000;

export class Runner {
  readonly #options: RunnerOptions;
  readonly #live = new Map<string, LiveRun>();
  readonly #stop = new AbortController();
  readonly #places: Places;
  readonly #background = new Set<Promise<void>>();
  readonly #links = new Set<Promise<void>>();
  /** Runs recorded for `pre-` events that passed, oldest first. */
  readonly #recorded = new Set<string>();
  /** What `pre-` events read that started nothing: it counts for the whole of their operation. */
  readonly #idle = new LRUCache<string, { readonly ref: string; readonly loaded: LoadedActions }>({ max: rememberedLoads });

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#places = new Places(options.concurrency);
  }

  /**
   * Runs what an event starts. Of an event before the fact a failure refuses the operation.
   * @throws SrvError `hook_aborted` when a hook failed or an action file is broken.
   */
  async handle(event: EventRecord): Promise<void> {
    if (!isAfter(event.type)) {
      const actions = await this.#actionsOf(event);
      if (actions.length > 0) await this.#refuseOnFailure(event, actions);
      return;
    }
    await this.#inBackground(async () => {
      await this.#link(event);
      const actions = await this.#actionsOf(event);
      if (actions.length > 0) await (await this.launch(event, actions)).done;
    });
  }

  /**
   * Runs actions in the background, when it is their turn. Their failures are in the records alone.
   * @returns once the run is noted; `done` rejects when its records could not be stored.
   */
  async launch(event: EventRecord, actions: readonly Action[]): Promise<{ readonly done: Promise<void> }> {
    const live = await this.#begin(event, actions);
    return { done: live ? this.#inBackground(() => this.#runInTurn(live)) : Promise.resolve() };
  }

  /** What an event starts. @throws SrvError `hook_aborted` for broken action files. */
  async actionsFor(event: EventRecord): Promise<readonly Action[]> {
    return selected(await this.#load(event), event);
  }

  /** A run in progress on this server. */
  live(repository: string, runId: string): LiveRun | undefined {
    const found = this.#live.get(runId);
    return found?.event.repository === repository ? found : undefined;
  }

  /** Waits for commits that are about to be noted at runs. */
  async settled(): Promise<void> {
    await Promise.all(this.#links);
  }

  /** Lets what runs in the background end; stops it after a while. @param timeoutMs milliseconds. */
  async drain(timeoutMs: number): Promise<void> {
    const timer = setTimeout(() => this.#stop.abort(new SrvError('closed', 'the server stopped while the hook ran')), timeoutMs);
    while (this.#background.size > 0) await Promise.allSettled(this.#background);
    if (this.#stop.signal.aborted) return;
    // Events that arrive while the rest of the server stops get what is left of the time.
    timer.unref();
  }

  async #inBackground(work: () => Promise<void>): Promise<void> {
    const running = work();
    this.#background.add(running);
    try {
      await running;
    } finally {
      this.#background.delete(running);
    }
  }

  async #actionsOf(event: EventRecord): Promise<readonly Action[]> {
    const { runId, type, sourceRef: ref } = event;
    const loaded = this.#readBefore(event) ?? (await this.#load(event));
    const actions = selected(loaded, event);
    if (!isAfter(type) && actions.length === 0) this.#idle.set(runId, { ref, loaded });
    return actions;
  }

  /** What the `pre-` event of this operation read of the same ref, an instant ago. */
  #readBefore({ preRunId = '', sourceRef }: EventRecord): LoadedActions | undefined {
    const found = this.#idle.get(preRunId);
    this.#idle.delete(preRunId);
    return found?.ref === sourceRef ? found.loaded : undefined;
  }

  async #load({ repository, sourceRef }: EventRecord): Promise<LoadedActions> {
    try {
      return await this.#options.source.load(repository, sourceRef);
    } catch (error) {
      const text = `list actions from commit: listing actions: ${messageOf(error)}`;
      throw new SrvError(isSrvError(error) ? error.code : 'internal', text, { cause: error });
    }
  }

  async #refuseOnFailure(event: EventRecord, actions: readonly Action[]): Promise<void> {
    const live = await this.#begin(event, actions);
    if (!live) return;
    const { runId } = event;
    const failure = await this.#run(live, event.signal).catch((error: unknown) => {
      throw new SrvError(isSrvError(error) ? error.code : 'plugin', messageOf(error), { cause: error, details: { runId } });
    });
    if (failure !== undefined) throw new SrvError('hook_aborted', failure, { details: { runId } });
    this.#recorded.add(event.runId);
    const [oldest] = this.#recorded;
    if (this.#recorded.size > rememberedRuns && oldest !== undefined) this.#recorded.delete(oldest);
  }

  async #begin(event: EventRecord, actions: readonly Action[]): Promise<LiveRun | undefined> {
    const { environment, store, running, log } = this.#options;
    const live = new LiveRun(event, plannedHooks(actions, environment), store, log);
    if (live.hooks.length === 0) return undefined;
    this.#live.set(event.runId, live);
    try {
      await running.begin(live.describe());
    } catch (error) {
      this.#live.delete(event.runId);
      throw error;
    }
    return live;
  }

  async #runInTurn(live: LiveRun): Promise<void> {
    const { meters, log } = this.#options;
    const { type, runId, repository } = live.event;
    meters.waiting(1);
    const done = await this.#places.take(repository);
    meters.waiting(-1);
    try {
      const failure = await this.#run(live, undefined, record => this.#persistently(runId, record));
      if (failure !== undefined) log.info({ event: type, run_id: runId, repository, error: failure }, 'asynchronous run of hooks failed');
    } finally {
      done();
    }
  }

  /** Its hooks have done what they do: while their results cannot be stored, the run counts as one in progress. */
  #persistently(runId: string, record: () => Promise<void>): Promise<void> {
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(recordingTime)]);
    return persistently(record, { signal, log: this.#options.log, what: { run_id: runId } });
  }

  /**
   * Runs to the end and stores the records.
   * @param record calls what stores them. Default: once, as the caller of an operation waits for it.
   * @returns what failed, as callers read it.
   */
  async #run(
    live: LiveRun,
    caller: AbortSignal | undefined,
    record = (store: () => Promise<void>): Promise<void> => store(),
  ): Promise<string | undefined> {
    const { store, running, count } = this.#options;
    const { event, planned } = live;
    const { type: name, repository, sourceRef: ref, user } = event;
    count({ class: 'actions_service', name, repository, ref, user });
    const cancel = new AbortController();
    const sources = [this.#stop.signal, ...(caller ? [caller] : [])];
    const leave = (): void => cancel.abort(sources.find(({ aborted }) => aborted)?.reason);
    for (const source of sources) source.addEventListener('abort', leave, { once: true });
    if (sources.some(({ aborted }) => aborted)) leave();
    live.publish();
    try {
      const watcher = { changed: (run: HookRun) => this.#note(live, run), ended: (run: HookRun) => storeOutput(live, run) };
      const outcome = await this.#execute(live, cancel.signal, watcher).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      await live.unpublish();
      const { run, tasks } = recordsOf(live.describe());
      await record(async () => {
        await store.save(event, run, tasks);
        await running.end(event);
      });
      if (outcome) throw outcome.error;
      return failureText(planned);
    } catch (error) {
      running.abandon(event.runId);
      throw error;
    } finally {
      await live.unpublish();
      for (const source of sources) source.removeEventListener('abort', leave);
      this.#live.delete(event.runId);
    }
  }

  async #execute({ event, planned }: LiveRun, signal: AbortSignal, watcher: ExecutionWatcher): Promise<void> {
    const details = (await this.#options.describe?.(event)) ?? {};
    await execute(planned, { ...event, details }, signal, watcher, this.#options);
  }

  #note(live: LiveRun, { state, hook, start, end }: HookRun): void {
    if (state === 'passed' || state === 'failed' || state === 'skipped')
      this.#options.meters.hook(hook.type, state, end.getTime() - start.getTime());
    this.#options.running.change(live.describe());
  }

  /** Links the run of a `pre-` event to the resulting commit. */
  async #link(event: EventRecord): Promise<void> {
    const { preRunId, commitId } = event;
    if (!linking.includes(event.type) || commitId === undefined || preRunId === undefined || !this.#recorded.delete(preRunId)) return;
    const linked = this.#options.store
      .setCommit(event, preRunId, commitId)
      .catch((error: unknown) =>
        this.#options.log.error({ run_id: preRunId, commit: commitId, error: messageOf(error) }, 'cannot record the commit of a run'),
      )
      .finally(() => this.#links.delete(linked));
    this.#links.add(linked);
    await linked;
  }
}

function selected({ files }: LoadedActions, event: EventRecord): readonly Action[] {
  const { actions, problems } = select(files, event);
  if (problems.length > 0) throw new SrvError('hook_aborted', errorList(problems));
  return actions;
}

async function storeOutput(live: LiveRun, run: HookRun): Promise<void> {
  try {
    await live.store(run);
  } catch (error) {
    const what = `Run id '${run.hookRunId}' action '${run.action.name}' hook '${run.hook.id}'`;
    const code = isSrvError(error) ? error.code : 'internal';
    throw new SrvError(code, `failed to write action log. ${what}: ${messageOf(error)}`, { cause: error });
  }
}

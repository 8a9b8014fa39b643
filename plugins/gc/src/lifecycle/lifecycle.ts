/** Policies for branches and rules for objects: keeps them, and has runs apply them under the collector's lease. */
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { checkWritable, descendingXid, partitionEpoch, persistently } from '@srv/lib-records';
import { expireBranches } from './expire-branches.js';
import { expireObjects } from './expire-objects.js';
import { checkObjectRules } from './object-rules.js';
import { checkPolicies } from './policies.js';
import { RunLog, presentRun } from './run-log.js';
import { LifecycleSettings } from './settings.js';
import { StagedObservations } from './staged-observations.js';
import type { Engine, Repository } from '@srv/engine/contract';
import type { KvStore, Logger } from '@srv/kernel';
import type { Lifecycle, LifecycleAction } from '../contract.js';
import type { Lease } from '../run/lease.js';
import type { ObjectRule } from './object-rules.js';
import type { BranchPolicy } from './policies.js';
import type { StoredRun } from './run-log.js';

export interface LifecycleOptions {
  readonly kv: KvStore;
  readonly engine: Engine;
  readonly log: Logger;
  /** Runs work under the lease of the collector. @throws SrvError `conflict` while it is held. */
  readonly exclusively: (repository: Repository, work: (lease: Pick<Lease, 'check'>) => Promise<void>) => Promise<void>;
  /** Milliseconds between two runs of a repository; 0: only when asked. */
  readonly period: number;
  readonly now?: () => number;
}

/** Who deletes and commits when no user asked. */
const scheduler = 'lifecycle';
/** Actions that the record of a run lists; all are counted and logged. */
const mostListed = 500;

export class LifecycleRuns {
  readonly branches: LifecycleSettings<BranchPolicy>;
  readonly objects: LifecycleSettings<ObjectRule>;
  readonly #options: LifecycleOptions;
  readonly #runs: RunLog;
  readonly #observations: StagedObservations;
  readonly #active = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(options: LifecycleOptions) {
    this.#options = options;
    const { kv } = options;
    this.branches = new LifecycleSettings(kv, 'branch_lifecycle', checkPolicies);
    this.objects = new LifecycleSettings(kv, 'object_lifecycle', checkObjectRules);
    this.#runs = new RunLog(kv);
    this.#observations = new StagedObservations(kv);
  }

  /** As other plugins and the operations see it, by name of the repository. */
  service(): Lifecycle {
    const find = (id: string): Promise<Repository> => this.#options.engine.getRepository(id);
    return {
      getBranchPolicies: async id => this.branches.get(await find(id)),
      setBranchPolicies: async (id, policies, ifMatch) => this.branches.set(await find(id), policies, ifMatch),
      deleteBranchPolicies: async id => this.branches.delete(await find(id)),
      getObjectRules: async id => this.objects.get(await find(id)),
      setObjectRules: async (id, rules, ifMatch) => this.objects.set(await find(id), rules, ifMatch),
      deleteObjectRules: async id => this.objects.delete(await find(id)),
      start: async (id, request) => this.start(await find(id), request),
      getRun: async (id, run) => presentRun(await this.#runs.get(await find(id), run)),
      listRuns: async (id, request = {}) => {
        const { results, ...page } = await this.#runs.page(await find(id), request);
        return { ...page, results: results.map(presentRun) };
      },
    };
  }

  /** Begins a run in the background. @returns its id. @throws SrvError `conflict` while a run of any kind is under way. */
  async start(repository: Repository, { dryRun, user }: { readonly dryRun: boolean; readonly user: string }): Promise<string> {
    checkWritable(repository);
    this.#stop.signal.throwIfAborted();
    const id = descendingXid(partitionEpoch);
    // The lease is taken before the answer, so that a refusal reaches the caller.
    await new Promise<void>((resolve, reject) => {
      const work = this.#carryOut(repository, { id, dryRun, user }, resolve)
        .catch((error: unknown) => {
          reject(error);
          if (!isSrvError(error, 'conflict'))
            this.#options.log.warn({ repository: repository.id, error: messageOf(error) }, 'lifecycle run failed');
        })
        .finally(() => this.#active.delete(work));
      this.#active.add(work);
    });
    return id;
  }

  /** Begins a run where one is due. Call it regularly. */
  async maintain(repository: Repository): Promise<void> {
    if (this.#options.period === 0 || this.#stop.signal.aborted || !(await this.#isDue(repository))) return;
    await this.start(repository, { dryRun: false, user: scheduler }).catch((error: unknown) => {
      // Another server was faster, or a run of the collector is under way.
      if (!isSrvError(error, 'conflict')) throw error;
    });
  }

  async stop(): Promise<void> {
    this.#stop.abort(new SrvError('closed', 'the server is stopping'));
    await Promise.all(this.#active);
  }

  async #isDue(repository: Repository): Promise<boolean> {
    const [branches, objects] = await Promise.all([this.branches.get(repository), this.objects.get(repository)]);
    if (branches.items.length === 0 && objects.items.length === 0) return false;
    for await (const { dryRun, startedAt } of this.#runs.scan(repository))
      if (!dryRun) return this.#now() - startedAt >= this.#options.period;
    return true;
  }

  /** The end is stored after the lease is released, so that a client that sees it can begin the next run. */
  async #carryOut(repository: Repository, request: Pick<StoredRun, 'id' | 'dryRun' | 'user'>, begun: () => void): Promise<void> {
    let end: StoredRun | undefined;
    await this.#options.exclusively(repository, async lease => {
      const run: StoredRun = { ...request, phase: 'running', startedAt: this.#now(), branches: 0, objects: 0, skipped: 0, actions: [] };
      await this.#runs.tidy(repository, run.startedAt);
      await this.#runs.save(repository, run);
      begun();
      end = await this.#work(repository, run, lease);
    });
    if (!end) return;
    const outcome = end;
    const [what, signal] = [{ repository: repository.id, run: request.id }, this.#stop.signal];
    await persistently(() => this.#runs.save(repository, outcome), { signal, log: this.#options.log, what });
  }

  /** @returns the run as it has ended. */
  async #work(repository: Repository, run: StoredRun, lease: Pick<Lease, 'check'>): Promise<StoredRun> {
    const { engine, log } = this.#options;
    const listed: LifecycleAction[] = [];
    const counts = { branches: 0, objects: 0, skipped: 0 };
    const task = {
      repository,
      dryRun: run.dryRun,
      user: run.user,
      runId: run.id,
      now: run.startedAt,
      check: () => {
        this.#stop.signal.throwIfAborted();
        lease.check();
      },
      report(action: LifecycleAction) {
        if (listed.length < mostListed) listed.push(action);
        if (action.kind === 'branch_deleted') counts.branches++;
        else if (action.kind === 'skipped') counts.skipped++;
        else counts.objects += action.objects ?? 0;
        if (!run.dryRun) log.info({ repository: repository.id, run: run.id, ...action }, 'lifecycle');
      },
    };
    let failure: { readonly error?: string } = {};
    try {
      const [policies, rules] = await Promise.all([this.branches.get(repository), this.objects.get(repository)]);
      await expireBranches(policies.items, task, { engine, observations: this.#observations });
      await expireObjects(rules.items, task, { engine });
    } catch (error) {
      failure = { error: messageOf(error) };
      log.warn({ repository: repository.id, run: run.id, error: messageOf(error) }, 'lifecycle run failed');
    }
    const phase = failure.error === undefined ? 'done' : 'failed';
    return { ...run, ...counts, ...failure, phase, endedAt: this.#now(), actions: listed };
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }
}

/** What a server does regularly: resumes runs of dead servers, begins scheduled runs of the collector and of the lifecycle, empties quarantines. */
import { isSrvError, messageOf } from '@srv/kernel';
import { foldersIn, removeLeftFolders } from '../cache-folders.js';
import { emptyQuarantine } from '../run/quarantine.js';
import type { Engine, Repository } from '@srv/engine/contract';
import type { Logger } from '@srv/kernel';
import type { LifecycleRuns } from '../lifecycle/lifecycle.js';
import type { StoredRules } from '../rules/stored-rules.js';
import type { Collector } from '../run/collector.js';
import type { QuarantineSources } from '../run/quarantine.js';

interface MaintenanceOptions extends QuarantineSources {
  readonly engine: Engine;
  readonly collector: Collector;
  readonly rules: StoredRules;
  readonly lifecycle: Pick<LifecycleRuns, 'maintain'>;
  readonly log: Logger;
  /** `gc.cache_dir` */
  readonly cacheDir: string;
  /** Milliseconds between two runs of a repository; 0: none are begun. */
  readonly schedule: number;
  /** Milliseconds between two rounds. */
  readonly period: number;
  /** Milliseconds after which a run whose owner has not been seen to work is resumed. */
  readonly stale: number;
}

/** Milliseconds from the start to the first round, which resumes what a killed server left. */
const firstRoundAfter = 2000;

export class Maintenance {
  readonly #options: MaintenanceOptions;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> = Promise.resolve();
  #stopped = false;
  /** In order; each happens whether or not those before it failed. */
  readonly #steps: readonly (readonly [name: string, work: (repository: Repository) => Promise<unknown>])[];

  constructor(options: MaintenanceOptions) {
    const { collector, lifecycle } = options;
    this.#options = options;
    this.#steps = [
      ['resume', repository => collector.resume(repository)],
      ['quarantine', repository => emptyQuarantine(repository, options)],
      ['metadata', repository => collector.maintainMetadata(repository)],
      ['lifecycle', repository => lifecycle.maintain(repository)],
      ['schedule', repository => this.#startIfDue(repository)],
    ];
  }

  start(): void {
    this.#schedule(Math.min(firstRoundAfter, this.#options.period));
  }

  #schedule(delay: number): void {
    const { period, stale, collector } = this.#options;
    this.#timer = setTimeout(() => {
      this.#round = this.round().finally(() => {
        if (!this.#stopped) this.#schedule(collector.isWatching ? Math.min(stale, period) : period);
      });
    }, delay).unref();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  /** Looks after every repository once. What fails is logged; the next round tries again. */
  async round(): Promise<void> {
    const { engine, log, cacheDir } = this.#options;
    // Read first: what appears later belongs to a repository that may not be listed.
    const folders = new Set(await foldersIn(cacheDir));
    try {
      for await (const repository of engine.repositories('')) {
        if (this.#stopped) return;
        folders.delete(repository.instanceUid);
        if (repository.state !== 'active' || repository.readOnly) continue;
        for (const [step, work] of this.#steps) {
          if (this.#stopped) return;
          await work(repository).catch((error: unknown) =>
            log.warn(
              { repository: repository.id, step, error: messageOf(error) },
              'maintenance of a repository failed; the next round tries again',
            ),
          );
        }
      }
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'cannot list the repositories for garbage collection');
      return;
    }
    await removeLeftFolders(cacheDir, folders).catch((error: unknown) =>
      log.warn({ path: cacheDir, error: messageOf(error) }, 'cannot remove the lists of deleted repositories; the next round tries again'),
    );
  }

  async #startIfDue(repository: Repository): Promise<void> {
    if (!(await this.#isDue(repository))) return;
    await this.#options.collector.start(repository, { mode: 'run' }).catch((error: unknown) => {
      // Another server was faster.
      if (!isSrvError(error, 'conflict')) throw error;
    });
  }

  async #isDue(repository: Repository): Promise<boolean> {
    const { schedule, collector, rules } = this.#options;
    if (schedule === 0 || !(await rules.find(repository))) return false;
    for await (const { startedAt } of collector.records.scan(repository)) return Date.now() - startedAt >= schedule;
    return true;
  }
}

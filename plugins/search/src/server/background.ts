/** Keeps the heads of selected branches indexed: at once after changes of this server, regularly for those of others. */
import { isSrvError, messageOf } from '@srv/kernel';
import { isSelected } from './selection.js';
import type { Branch, Engine, Repository } from '@srv/engine/contract';
import type { Logger } from '@srv/kernel';
import type { Indexer } from '../index/indexer.js';
import type { Selection } from './selection.js';

interface BackgroundOptions {
  readonly engine: Pick<Engine, 'getRepository' | 'repositories' | 'listBranches'>;
  readonly indexer: Indexer;
  readonly selection: Selection;
  readonly log: Logger;
  /** Milliseconds between two rounds. */
  readonly period: number;
}

/** Milliseconds from the start to the first round. */
const firstRoundAfter = 2000;

export class BackgroundIndexing {
  readonly #options: BackgroundOptions;
  readonly #stopping = new AbortController();
  /** Checks by repository; `true`: it changed again meanwhile. */
  readonly #checks = new Map<string, boolean>();
  readonly #running = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: BackgroundOptions) {
    this.#options = options;
  }

  start(): void {
    this.#schedule(Math.min(firstRoundAfter, this.#options.period));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await Promise.all(this.#running);
  }

  /** Indexes what a repository has that is new, soon; changes that come meanwhile are indexed after it. */
  changed(repository: string): void {
    if (this.#stopping.signal.aborted) return;
    const isChecked = this.#checks.has(repository);
    this.#checks.set(repository, isChecked);
    if (!isChecked) this.#run(this.#check(repository));
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #check(repository: string): Promise<void> {
    const { log } = this.#options;
    do {
      this.#checks.set(repository, false);
      try {
        await this.#indexHeads(await this.#options.engine.getRepository(repository));
      } catch (error) {
        if (this.#isNoted(error)) log.warn({ repository, error: messageOf(error) }, 'cannot index the branches of a repository');
      }
    } while (this.#checks.get(repository) && !this.#stopping.signal.aborted);
    this.#checks.delete(repository);
  }

  /** A branch that cannot be indexed is logged; the others are indexed. */
  async #indexHeads(repository: Repository): Promise<void> {
    const { indexer, selection, log } = this.#options;
    const { signal } = this.#stopping;
    const patterns = await selection.patterns(repository);
    if (patterns.length === 0) return;
    for await (const { id: branch, commitId } of selectedBranches(repository, patterns, this.#options.engine)) {
      // The index may have been switched off, and removed, meanwhile.
      if (signal.aborted || (await selection.patterns(repository)).length === 0) return;
      await indexer.ensure(repository, commitId, signal).catch((error: unknown) => {
        if (this.#isNoted(error))
          log.warn({ repository: repository.id, branch, error: messageOf(error) }, 'cannot index a branch; it will be tried again');
      });
    }
  }

  /** A repository that is deleted meanwhile has nothing to be indexed, and a stop breaks work off. */
  #isNoted(error: unknown): boolean {
    return !this.#stopping.signal.aborted && !isSrvError(error, 'not_found', 'gone');
  }

  #schedule(delay: number): void {
    this.#timer = setTimeout(() => {
      this.#run(this.#round().finally(() => !this.#stopping.signal.aborted && this.#schedule(this.#options.period)));
    }, delay).unref();
  }

  async #round(): Promise<void> {
    const { engine, log } = this.#options;
    try {
      for await (const { id, state } of engine.repositories('')) {
        if (this.#stopping.signal.aborted) return;
        if (state === 'active') this.changed(id);
      }
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'cannot list the repositories to index them');
    }
  }

  #run(work: Promise<void>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }
}

/** Branches whose names match one of the patterns. */
export async function* selectedBranches(
  repository: Repository,
  patterns: readonly string[],
  engine: Pick<Engine, 'listBranches'>,
): AsyncGenerator<Branch> {
  for (let after = ''; ; ) {
    const { results, hasMore, nextOffset } = await engine.listBranches(repository, { after, amount: 1000 });
    for (const branch of results) if (isSelected(patterns, branch.id)) yield branch;
    if (!hasMore) return;
    after = nextOffset;
  }
}

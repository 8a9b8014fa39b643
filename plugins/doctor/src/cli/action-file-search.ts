/** Looks for action files on the branches of all repositories, within limits. */
import { messageOf } from '@srv/kernel';
import { everything, forEachParallel, isAnswerError } from '@srv/lib-commands';
import { LimitReached, RequestBudget } from './request-budget.js';
import type {} from '@srv/engine/operations';
import type { Client } from '@srv/lib-api/client';
import type { SearchLimits } from './request-budget.js';

const folders = ['_srv_actions/', '_lakefs_actions/'];
/** Repositories looked at at a time. */
const parallelism = 8;

interface FoundFile {
  readonly repository: string;
  readonly branch: string;
  readonly path: string;
}

/** A repository in which nothing has been found yet. */
interface OpenRepository {
  readonly id: string;
  /** The branches that have not been looked at. */
  readonly branches: AsyncIterator<string>;
}

/**
 * Looks at one branch of each repository, the default branch, then at a second one of each, and so on: however many branches
 * a repository has, the others get their share of the limits. It leaves a repository at the first action file.
 */
export class ActionFileSearch {
  readonly found: FoundFile[] = [];
  /** Repositories whose branches or objects the user may not list. */
  readonly refused: string[] = [];
  /** The limit at which the search ended; absent: all branches have been looked at. */
  limit: string | undefined;
  /** How many branches have been looked at. */
  branches = 0;
  readonly #api: Client;
  readonly #budget: RequestBudget;

  constructor(api: Client, limits: SearchLimits) {
    this.#api = api;
    this.#budget = new RequestBudget(limits);
  }

  /** @throws Error that names the repository in which the server failed. */
  async run(): Promise<void> {
    try {
      let open = await this.#round(this.#allRepositories());
      while (open.length > 0) open = await this.#round(open);
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error;
      this.limit = error.limit;
    }
  }

  /** Looks at the next branch of each. @returns those to continue with. */
  async #round(repositories: Iterable<OpenRepository> | AsyncIterable<OpenRepository>): Promise<OpenRepository[]> {
    const open: OpenRepository[] = [];
    await forEachParallel(iterate(repositories), parallelism, async repository => {
      if (await this.#isOpenAfterNext(repository)) open.push(repository);
    });
    return open;
  }

  async #isOpenAfterNext({ id, branches }: OpenRepository): Promise<boolean> {
    try {
      const next = await branches.next();
      if (next.done) return false;
      const path = await this.#actionFile(id, next.value);
      this.branches++;
      if (path !== undefined) this.found.push({ repository: id, branch: next.value, path });
      return path === undefined;
    } catch (error) {
      if (error instanceof LimitReached) throw error;
      if (!isAnswerError(error, 401, 403)) throw new Error(`cannot look for action files in ${id}: ${messageOf(error)}`, { cause: error });
      this.refused.push(id);
      return false;
    }
  }

  async *#allRepositories(): AsyncGenerator<OpenRepository> {
    const page = (query: { readonly amount: number; readonly after?: string }) =>
      this.#budget.spend(options => this.#api.listRepositories(query, options));
    for await (const { id, default_branch: first } of everything(page)) yield { id, branches: this.#branchesOf(id, first) };
  }

  async *#branchesOf(repository: string, first: string): AsyncGenerator<string> {
    yield first;
    const page = (query: { readonly amount: number; readonly after?: string }) =>
      this.#budget.spend(options => this.#api.listBranches({ repository, ...query, show_hidden: true }, options));
    try {
      for await (const { id } of everything(page)) if (id !== first) yield id;
    } catch (error) {
      // It has been deleted meanwhile.
      if (!isAnswerError(error, 404)) throw error;
    }
  }

  /** The first action file of a branch. */
  async #actionFile(repository: string, ref: string): Promise<string | undefined> {
    for (const prefix of folders) {
      try {
        const query = { repository, ref, prefix, after: prefix, amount: 1 };
        const { results } = await this.#budget.spend(options => this.#api.listObjects(query, options));
        if (results[0]) return results[0].path;
      } catch (error) {
        // The branch does not exist: a bare repository has none, another may have been deleted meanwhile.
        if (!isAnswerError(error, 400, 404)) throw error;
      }
    }
    return undefined;
  }
}

async function* iterate<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  yield* items;
}

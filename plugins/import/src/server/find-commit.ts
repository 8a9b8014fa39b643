/** Finds a commit that may have been made although nothing says so. */
import type { Commit, Engine, Repository } from '@srv/engine/contract';

interface SoughtCommit {
  readonly repository: Repository;
  readonly branch: string;
  readonly committer: string;
  readonly message: string;
  /** To the millisecond. */
  readonly date: Date;
}

const pageCommits = 1000;
/** More are not made on a branch between the end of a server and the next one. */
const mostPages = 10;

/**
 * Looks by number rather than by date: commits on top of the sought one may have any date.
 * @returns the commit along the first parents of the branch. @throws SrvError `not_found` for a branch that was deleted.
 */
export async function findCommit(
  engine: Pick<Engine, 'log'>,
  { repository, branch, committer, message, date }: SoughtCommit,
): Promise<Commit | undefined> {
  for (let [pages, after] = [1, '']; ; pages++) {
    const page = await engine.log(repository, branch, { amount: pageCommits, firstParent: true, after: after || undefined });
    const found = page.results.find(
      commit => commit.creationDate.getTime() === date.getTime() && commit.committer === committer && commit.message === message,
    );
    if (found || !page.hasMore || pages === mostPages) return found;
    after = page.nextOffset;
  }
}

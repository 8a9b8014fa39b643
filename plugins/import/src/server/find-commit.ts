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

/** Milliseconds by which the clocks of servers may differ. */
const clockSkew = 3_600_000;

/** @returns the commit along the first parents of the branch. @throws SrvError `not_found` for a branch that was deleted. */
export async function findCommit(
  engine: Pick<Engine, 'log'>,
  { repository, branch, committer, message, date }: SoughtCommit,
): Promise<Commit | undefined> {
  const since = new Date(date.getTime() - clockSkew);
  for (let after = ''; ; ) {
    const page = await engine.log(repository, branch, { since, amount: 1000, firstParent: true, after: after || undefined });
    const found = page.results.find(
      commit => commit.creationDate.getTime() === date.getTime() && commit.committer === committer && commit.message === message,
    );
    if (found || !page.hasMore) return found;
    after = page.nextOffset;
  }
}

/** What changes of branches and tags have in common. */
import { SrvError } from '@srv/kernel';
import type { Commits } from './commits.js';
import type { ChangeOptions, Repository } from './contract.js';
import type { EventFacts } from './events.js';

/** @throws SrvError `conflict` for a name that is the id of a commit. */
export async function refuseCommitId(repository: Repository, id: string, commits: Pick<Commits, 'find'>): Promise<void> {
  if (/^[0-9a-f]{64}$/.test(id) && (await commits.find(repository, id))) throw new SrvError('conflict', `commit ID ${id}: conflict found`);
}

/** A reference to be restored exists, and points at another commit. */
export function atAnotherCommit(kind: 'branch' | 'tag', id: string): SrvError {
  return new SrvError('not_unique', `${kind} ${id} already exists, at another commit: not unique`, { details: { [kind]: id } });
}

export function nameOf({ user }: ChangeOptions): Pick<EventFacts, 'user'> {
  return user === undefined ? {} : { user };
}

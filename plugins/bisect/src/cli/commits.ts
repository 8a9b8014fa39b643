import { everything } from '@srv/lib-commands';
import type { Client, Commit } from '@srv/engine/client';

/** Commits per request. */
const pageSize = 500;

/** The history of a commit, newest first. */
export function everyCommit(api: Client, repository: string, ref: string): AsyncGenerator<Commit> {
  return everything(page => api.logCommits({ repository, ref, ...page }), pageSize);
}

import { everything } from '@srv/lib-commands';
import type { Client, CommitRecord } from '../../client.js';

/** Commits per request. */
const pageSize = 500;

/** The history of a commit, newest first. */
export function everyCommit(api: Client, repository: string, ref: string): AsyncGenerator<CommitRecord> {
  return everything(page => api.logCommits({ repository, ref, ...page }), pageSize);
}

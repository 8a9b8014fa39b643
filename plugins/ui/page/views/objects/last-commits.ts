/** Last commits of rows: those that come into sight together are one request. */
import { call } from '@srv/lib-page/page';
import type { Operations } from '@srv/engine/client';
import type { CallResult } from '@srv/lib-api/client';

type Found = CallResult<Operations['findLastCommits']>;

export interface LastCommit {
  /** `undefined`: none of those that were looked at changed it. */
  readonly commit: Found['results'][number]['commit'] | undefined;
  /** Commits that were looked at, if there are older ones. */
  readonly newest: number | undefined;
}

interface Waiting {
  readonly resolve: (found: LastCommit) => void;
  readonly reject: (error: unknown) => void;
}

type Batch = Map<string, Waiting[]>;

/** Paths of a request. */
const most = 200;
/** Milliseconds that rows are waited for. */
const gatherMs = 20;

/** By repository and ref: what is asked for next. */
const batches = new Map<string, Batch>();

/** @param path folders have a trailing slash. */
export function lastCommitOf(repository: string, ref: string, path: string): Promise<LastCommit> {
  return new Promise((resolve, reject) => {
    const key = `${repository} ${ref}`;
    let batch = batches.get(key);
    if (!batch || batch.size >= most) {
      const made: Batch = new Map();
      batch = made;
      batches.set(key, made);
      setTimeout(() => {
        if (batches.get(key) === made) batches.delete(key);
        void ask(repository, ref, made);
      }, gatherMs);
    }
    batch.set(path, [...(batch.get(path) ?? []), { resolve, reject }]);
  });
}

async function ask(repository: string, ref: string, batch: Batch): Promise<void> {
  const all = [...batch.values()].flat();
  try {
    const { results, whole, looked_at: looked } = await call('findLastCommits', { repository, ref, body: { paths: [...batch.keys()] } });
    const commits = new Map(results.map(({ path, commit }) => [path, commit]));
    for (const [path, waiting] of batch)
      for (const { resolve } of waiting) resolve({ commit: commits.get(path), newest: whole ? undefined : looked });
  } catch (error) {
    for (const { reject } of all) reject(error);
  }
}

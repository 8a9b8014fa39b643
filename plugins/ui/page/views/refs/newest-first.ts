/** Refs in the order of their last commits. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { lastCommit } from './last-commit.js';

interface Ref {
  readonly id: string;
  readonly commit_id: string;
}

/** Refs whose commits are asked for: each is a request. */
export const mostSorted = 1000;
const atATime = 8;

/** @returns newest first once all times are known, until then as they came; `on` false leaves them as they are. */
export function useNewestFirst<T extends Ref>(repository: string, refs: readonly T[], on: boolean): readonly T[] {
  const [times, setTimes] = useState<ReadonlyMap<string, number>>(new Map());
  const sorts = on && refs.length <= mostSorted;
  useEffect(() => {
    if (!sorts) return undefined;
    let left = false;
    void timesOf(repository, refs).then(found => {
      if (!left) setTimes(found);
    });
    return () => {
      left = true;
    };
  }, [repository, refs, sorts]);
  return useMemo(() => {
    if (!sorts || refs.some(({ commit_id: commit }) => !times.has(commit))) return refs;
    const time = ({ commit_id: commit }: Ref): number => times.get(commit) ?? 0;
    return [...refs].sort((a, b) => time(b) - time(a));
  }, [refs, times, sorts]);
}

/** Seconds since 1970, by commit; 0 for one that cannot be read. */
async function timesOf(repository: string, refs: readonly Ref[]): Promise<ReadonlyMap<string, number>> {
  const queue = [...new Set(refs.map(({ commit_id: commit }) => commit))];
  const found = new Map<string, number>();
  const work = async (): Promise<void> => {
    for (let commit = queue.pop(); commit !== undefined; commit = queue.pop()) {
      const time = await lastCommit(repository, commit).then(
        ({ creation_date: date }) => date,
        () => 0,
      );
      found.set(commit, time);
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return found;
}

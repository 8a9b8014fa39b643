/**
 * Where a branch has been, newest first. Commits show most of it: the main parent of a head is the head before. In between
 * are jumps; one that was written but never happened, as when the process was killed before, is passed over.
 */
import { mainParentOf } from '../messages/index.js';
import type { BranchJump, BranchLogEntry, Commit } from '../contract.js';

export interface ReflogSources {
  readonly commit: (id: string) => Promise<Commit>;
  /** Newest first, from the one with that id on. */
  readonly jumps: (from: string) => AsyncGenerator<BranchJump>;
}

/** Where to continue: a head, and the next jump. */
export interface ReflogPlace {
  /** Empty: no branch. */
  readonly head: string;
  /** Empty: the newest. */
  readonly jump: string;
}

/** Yields each entry with the place of the next one. */
export async function* reflog(
  start: ReflogPlace,
  { commit: read, jumps }: ReflogSources,
): AsyncGenerator<{ readonly entry: BranchLogEntry; readonly next: ReflogPlace }> {
  const log = jumps(start.jump);
  try {
    let jump = await next(log);
    for (let head = start.head; ; ) {
      const commit = head === '' ? undefined : await read(head);
      const moved = jump && moveBefore(commit, jump);
      if (jump && moved !== 'earlier') {
        const last = jump;
        jump = await next(log);
        if (moved === 'never') continue;
        head = last.from;
        yield { entry: entryOf(last), next: { head, jump: jump?.id ?? afterAll } };
      } else {
        if (!commit) return;
        head = mainParentOf(commit);
        yield { entry: commitEntry(commit, head), next: { head, jump: jump?.id ?? afterAll } };
      }
    }
  } finally {
    await log.return(undefined);
  }
}

/** Sorts after every jump. */
const afterAll = '~';

async function next(log: AsyncGenerator<BranchJump>): Promise<BranchJump | undefined> {
  const { value, done } = await log.next();
  return done ? undefined : value;
}

/** Whether the newest jump that is left led to `commit`, happened `earlier`, or `never`. @param commit absent: there is no branch. */
function moveBefore(commit: Commit | undefined, { from, to }: BranchJump): 'happened' | 'earlier' | 'never' {
  if (to === (commit?.id ?? '')) return 'happened';
  return !commit || from === commit.id ? 'never' : 'earlier';
}

function entryOf({ operation, from, to, time, user }: BranchJump): BranchLogEntry {
  return { operation, commitId: to, previous: from, time, user };
}

function commitEntry({ id, parents, creationDate, committer, message }: Commit, previous: string): BranchLogEntry {
  return {
    operation: parents.length > 1 ? 'merge' : 'commit',
    commitId: id,
    previous,
    time: creationDate,
    user: committer,
    message,
  };
}

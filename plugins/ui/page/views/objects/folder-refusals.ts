/** Why a folder cannot be changed. */
import { useGuards, useRefusal } from '@srv/lib-page/page';
import type { GuardedBranch, RepositoryPlace } from '@srv/lib-page/page';

interface FolderRefusals {
  /** What a feature says about the branch. */
  readonly guarded: GuardedBranch | undefined;
  /** Why no user can change it. */
  readonly fixed: string | undefined;
  /** Why this user cannot. */
  readonly off: string | undefined;
}

/** @param kind of the ref. */
export function useFolderRefusals({ repository, ref, readOnly }: RepositoryPlace, kind: string, path: string): FolderRefusals {
  const isBranch = kind === 'branch';
  const guarded = useGuards(repository, isBranch ? ref : undefined);
  const refused = useRefusal('uploadObjectPreflight', isBranch && !readOnly ? { repository, branch: ref, path: `${path}new` } : undefined);
  const fixed = !isBranch ? `a ${kind} cannot be changed; choose a branch` : readOnly ? 'this repository is read-only' : guarded?.reason;
  return { guarded, fixed, off: fixed ?? refused };
}

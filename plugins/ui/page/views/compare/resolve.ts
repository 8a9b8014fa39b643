/** Conflicts of a merge, settled path by path. */
import { Refusal, call } from '@srv/lib-page/page';

export type Choice = 'source' | 'destination';

export interface Merge {
  readonly repository: string;
  readonly source: string;
  readonly destination: string;
}

/** Paths that both sides changed. @param most of them. */
export async function conflictsOf(
  { repository, source, destination }: Merge,
  most: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let after = ''; ; ) {
    const { results, pagination } = await call(
      'diffRefs',
      { repository, leftRef: destination, rightRef: source, after, amount: 1000 },
      { signal },
    );
    found.push(...results.filter(({ type }) => type === 'conflict').map(({ path }) => path));
    if (!pagination.has_more || found.length > most) return found;
    after = pagination.next_offset;
  }
}

/**
 * Merges the destination into the source, where the source's objects stay; puts the destination's in their place where they
 * were chosen, and commits that. Afterwards the source holds everything of both, and merges without a conflict.
 */
export async function settle({ repository, source, destination }: Merge, choices: ReadonlyMap<string, Choice>): Promise<void> {
  const { commit_id: theirs } = await call('getBranch', { repository, branch: destination });
  const body = { strategy: 'dest-wins', message: `Merge ${destination} into ${source} to settle conflicts` };
  await call('mergeIntoBranch', { repository, sourceRef: theirs, destinationBranch: source, body });
  const taken = [...choices].flatMap(([path, choice]) => (choice === 'destination' ? [path] : []));
  for (const path of taken) await take(repository, source, theirs, path);
  if (taken.length > 0)
    await call('commit', {
      repository,
      branch: source,
      body: { message: `Take ${taken.length === 1 ? taken[0] : `${taken.length} objects`} from ${destination}` },
    });
}

/** The object as it is at a commit, or its absence. */
async function take(repository: string, branch: string, from: string, path: string): Promise<void> {
  try {
    await call('copyObject', { repository, branch, dest_path: path, body: { src_path: path, src_ref: from } });
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 404) throw error;
    await call('deleteObject', { repository, branch, path });
  }
}

/** What a ref in an address is. */
import { call } from '@srv/lib-page/page';

type ResolvedRef =
  | { readonly kind: 'branch'; readonly id: string; readonly commitId: string }
  | { readonly kind: 'tag'; readonly id: string; readonly commitId: string }
  | { readonly kind: 'commit'; readonly id: string; readonly commitId: string };

/** A branch before a tag before any other expression. Lists answer without an error what single lookups would refuse. */
export async function resolveRef(repository: string, ref: string, signal: AbortSignal): Promise<ResolvedRef> {
  const options = { signal };
  const named = ({
    results: [first],
  }: {
    readonly results: readonly { readonly id: string; readonly commit_id: string }[];
  }): string | undefined => (first?.id === ref ? first.commit_id : undefined);
  const [branch, tag] = await Promise.all([
    call('listBranches', { repository, prefix: ref, amount: 1, show_hidden: true }, options).then(named),
    call('listTags', { repository, prefix: ref, amount: 1 }, options).then(named),
  ]);
  if (branch !== undefined) return { kind: 'branch', id: ref, commitId: branch };
  if (tag !== undefined) return { kind: 'tag', id: ref, commitId: tag };
  const { id } = await call('getCommit', { repository, commitId: ref }, options);
  return { kind: 'commit', id: ref, commitId: id };
}

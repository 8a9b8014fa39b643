/**
 * What readers need of a branch whose older rows are folded into a metarange. It is taken in place of the head's, and only newer
 * partitions are looked at. A row that reaches a partition after it was folded belongs to a write that follows the branch to its
 * new partition, so it does not count, as it does not after a commit.
 */
import type { Branch, FoldedRows } from './contract.js';

type Partitions = Pick<Branch, 'commitId' | 'sealedTokens' | 'folded'>;

/** `undefined`: no rows are folded, or the branch has changed its head or its sealed partitions since. */
export function foldedRows({ commitId, sealedTokens, folded }: Partitions): FoldedRows | undefined {
  return folded && folded.commitId === commitId && sealedTokens.includes(folded.token) ? folded : undefined;
}

/** Sealed partitions whose rows are not folded, newest first. */
export function unfoldedTokens(branch: Partitions): readonly string[] {
  const folded = foldedRows(branch);
  return folded ? branch.sealedTokens.slice(0, branch.sealedTokens.indexOf(folded.token)) : branch.sealedTokens;
}

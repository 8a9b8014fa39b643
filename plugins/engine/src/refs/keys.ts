/** Keys of records, and the metarange that a ref shows. */

import type { Commits } from './commits.js';
import type { Repository, ResolvedRef } from './contract.js';

export function startsWith(key: Buffer, prefix: Buffer): boolean {
  return key.length >= prefix.length && key.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
}

/** The greater of two starting keys. */
export function later(a: Buffer | undefined, b: Buffer | undefined): Buffer | undefined {
  if (!a || !b) return a ?? b;
  return Buffer.compare(a, b) >= 0 ? a : b;
}

/** `''` where there is no commit. */
export async function metarangeOf(
  repository: Repository,
  { commitId }: Pick<ResolvedRef, 'commitId'>,
  commits: Pick<Commits, 'get'>,
): Promise<string> {
  return commitId === '' ? '' : (await commits.get(repository, commitId)).metarangeId;
}

/** Files of a commit by their SHA-256. */
import { may, objectArn } from '@srv/lib-api';
import { sha256Of } from './files.js';
import type { Commit, Entry, Repository } from '@srv/engine/contract';
import type { RepoContext } from './context.js';

/** Objects of a commit that are searched. */
export const mostSearched = 100_000;
const pageSize = 1000;

/** For each hash one of the files that the caller may read; none for hashes that are not found. */
export async function findByHash(
  { engine, face, repo }: RepoContext,
  { repository, commit }: { readonly repository: Repository; readonly commit: Commit },
  hashes: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Entry>> {
  const found = new Map<string, Entry>();
  let seen = 0;
  for (let after = '', hasMore = true; hasMore && seen < mostSearched && found.size < hashes.size; ) {
    const page = await engine.list(repository, commit.id, { after, amount: pageSize });
    for (const item of page.results) {
      const hash = item.kind === 'object' ? sha256Of(item.entry) : undefined;
      if (item.kind !== 'object' || hash === undefined || !hashes.has(hash) || found.has(hash)) continue;
      if (await face.may(may('fs:ReadObject', objectArn(repo.repository, item.path)))) found.set(hash, item.entry);
    }
    seen += page.results.length;
    ({ hasMore, nextOffset: after } = page);
  }
  return found;
}

/** Files of a commit by their SHA-256. */
import { setImmediate } from 'node:timers/promises';
import { isSrvError } from '@srv/kernel';
import { may, objectArn } from '@srv/lib-api';
import { sha256Key, sha256Of } from './files.js';
import type { Commit, Entry, Repository } from '@srv/engine/contract';
import type {} from '@srv/search/contract';
import type { RepoContext } from './context.js';

/** Objects of a commit that are looked at one by one; further ones are found in the index of their metadata, where there is one. */
export const mostSearched = 100_000;
const pageSize = 1000;
/** Hashes of one query of the index. */
const mostAsked = 100;

interface Searched {
  readonly repository: Repository;
  readonly commit: Commit;
}

/** For each hash one of the files that the caller may read; none for hashes that are not found. */
export async function findByHash(
  context: RepoContext,
  searched: Searched,
  hashes: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Entry>> {
  const { repository, commit } = searched;
  const found = new Map<string, Entry>();
  let seen = 0;
  let hasMore = true;
  for (let after = ''; hasMore && seen < mostSearched && found.size < hashes.size; ) {
    const page = await context.engine.list(repository, commit.id, { after, amount: pageSize });
    for (const item of page.results)
      if (item.kind === 'object') await take(context, { entry: item.entry, load: async () => item.entry }, hashes, found);
    seen += page.results.length;
    ({ hasMore, nextOffset: after } = page);
    // Pages that were read before come without waiting: other requests have their turn.
    await setImmediate();
  }
  if (hasMore && found.size < hashes.size) await findInIndex(context, searched, hashes, found);
  return found;
}

interface Candidate {
  readonly entry: Pick<Entry, 'path' | 'metadata'>;
  readonly load: () => Promise<Entry>;
}

async function take(
  { face, repo }: RepoContext,
  { entry, load }: Candidate,
  hashes: ReadonlySet<string>,
  found: Map<string, Entry>,
): Promise<void> {
  const hash = sha256Of(entry);
  if (hash === undefined || !hashes.has(hash) || found.has(hash)) return;
  if (await face.may(may('fs:ReadObject', objectArn(repo.repository, entry.path)))) found.set(hash, await load());
}

/** Finds nothing while there is no index, or it is being made. */
async function findInIndex(
  context: RepoContext,
  { repository, commit }: Searched,
  hashes: ReadonlySet<string>,
  found: Map<string, Entry>,
): Promise<void> {
  const search = context.services.find('search');
  if (!search || !(await search.isIndexed(repository.id))) return;
  const left = [...hashes].filter(hash => !found.has(hash));
  try {
    for (let from = 0; from < left.length; from += mostAsked) {
      const wanted = left.slice(from, from + mostAsked);
      const where = `metadata["${sha256Key}"] in (${wanted.map(hash => `"${hash}"`).join(', ')})`;
      for await (const entry of search.rows(repository.id, commit.id, { where })) {
        const load = (): Promise<Entry> => context.engine.getEntry(repository, commit.id, entry.path);
        await take(context, { entry, load }, hashes, found);
        if (wanted.every(hash => found.has(hash))) break;
      }
    }
  } catch (error) {
    if (!isSrvError(error, 'unavailable', 'invalid')) throw error;
  }
}

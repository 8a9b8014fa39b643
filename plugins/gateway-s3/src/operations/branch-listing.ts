/** The top of a bucket: branches, each as the common prefix `<branch>/`. */
import { isSrvError } from '@srv/kernel';
import type { Catalog } from '@srv/catalog/contract';
import type { Page } from '@srv/versioning/contract';

export interface BranchListing {
  readonly repository: string;
  readonly prefix: string;
  /** Prefixes up to this text were seen. */
  readonly after: string;
  /** 1 to 1000. */
  readonly amount: number;
}

/** Names in the order of `<name>/`: `main-1/` comes before `main/`, though `main` comes before `main-1`. */
export async function listBranchPrefixes(catalog: Catalog, request: BranchListing): Promise<Page<string>> {
  const { after, amount } = request;
  const results: string[] = [];
  for await (const name of inSlashOrder(namesFrom(catalog, request))) {
    if (`${name}/` <= after) continue;
    if (results.length === amount) return { results, hasMore: true, nextOffset: `${results[amount - 1]}/` };
    results.push(name);
  }
  return { results, hasMore: false, nextOffset: '' };
}

/**
 * Reorders names that come in their own order. A name waits for those that continue it with a dash, the only character of
 * names that sorts before the slash.
 */
export async function* inSlashOrder(names: AsyncIterable<string>): AsyncGenerator<string> {
  const waiting: string[] = [];
  for await (const name of names) {
    for (let last = waiting.at(-1); last !== undefined && !name.startsWith(`${last}-`); last = waiting.at(-1)) {
      waiting.pop();
      yield last;
    }
    waiting.push(name);
  }
  yield* waiting.reverse();
}

/** Names that can stand behind `after`: those that sort behind it, and those it continues with a dash. */
async function* namesFrom(catalog: Catalog, { repository, prefix, after }: BranchListing): AsyncGenerator<string> {
  const first = after.replace(/[-/][\s\S]*$/, '');
  if (first !== '' && first.startsWith(prefix) && (await exists(catalog, repository, first))) yield first;
  let from = first;
  for (let hasMore = true; hasMore; ) {
    const page = await catalog.listBranches(repository, { prefix, after: from, amount: 1000 });
    for (const { id } of page.results) yield id;
    ({ hasMore, nextOffset: from } = page);
  }
}

async function exists(catalog: Catalog, repository: string, branch: string): Promise<boolean> {
  try {
    return !(await catalog.getBranch(repository, branch)).hidden;
  } catch (error) {
    if (isSrvError(error, 'not_found', 'invalid')) return false;
    throw error;
  }
}

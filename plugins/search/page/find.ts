/** Paths anywhere in a ref, for the palette: where the repository has an index. */
import { ask, objectOf } from '@srv/lib-page/page';
import type { Finder } from '@srv/lib-page/page';

/** Characters before the index is asked, and paths that are offered. */
const [fewest, most] = [2, 20];

/** By repository: whether any branch is indexed. It changes rarely; the page is loaded again then. */
const indexed = new Map<string, Promise<boolean>>();

async function isIndexed(repository: string): Promise<boolean> {
  const { patterns } = (await ask('getSearchStatus', { repository })) as { readonly patterns: readonly string[] };
  return patterns.length > 0;
}

const find: Finder = async ({ repository, ref, text }, signal) => {
  if (text.length < fewest) return [];
  const known = indexed.get(repository) ?? isIndexed(repository);
  indexed.set(repository, known);
  known.catch(() => indexed.delete(repository));
  if (!(await known)) return [];
  const body = { where: `path like ${JSON.stringify(`*${text}*`)}`, amount: most };
  const { results } = (await ask('searchObjects', { repository, ref, body }, { signal })) as {
    readonly results: readonly { readonly path: string }[];
  };
  return results.map(({ path }) => ({ text: path, kind: `object at ${ref}`, icon: 'file', href: objectOf(repository, ref, path) }));
};

export default find;

/** All tags and branches of a repository, page by page, in order of names. */
import type { Branch, Repository, Tag } from '../refs/contract.js';
import type { Refs } from '../refs/service.js';

const pageItems = 1000;

export async function* everyTag(refs: Refs, repository: Repository): AsyncGenerator<Tag> {
  for (let after = ''; ; ) {
    const { results, hasMore, nextOffset } = await refs.listTags(repository, { after, amount: pageItems });
    yield* results;
    if (!hasMore) return;
    after = nextOffset;
  }
}

/** Hidden ones included. */
export async function* everyBranch(refs: Refs, repository: Repository): AsyncGenerator<Branch> {
  for (let after = ''; ; ) {
    const { results, hasMore, nextOffset } = await refs.listBranches(repository, { after, amount: pageItems, showHidden: true });
    yield* results;
    if (!hasMore) return;
    after = nextOffset;
  }
}

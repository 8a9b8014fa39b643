/** Pages of objects and of differences. */
import { checkPrefix } from '@srv/lib-records';
import { CommittedPages } from './committed-pages.js';
import { DifferenceItems } from './differences.js';
import { entryFrom } from './entries.js';
import { firstKey, isWithin, pageOf } from './listing.js';
import { SerializedListings } from './serialized-listings.js';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Engine } from '../contract.js';
import type { DifferenceRequest, KeyDifference, Page, Repository, RepositoryName, StoredValue, ViewCursor } from '../refs/contract.js';
import type { Refs } from '../refs/service.js';
import type { CommittedStore } from '../tables/contract.js';
import type { DiffItem, ListItem } from './contract.js';
import type { PagedItem, PagedRequest, SeekableItems } from './listing.js';

interface PagesParts {
  readonly refs: Refs;
  readonly tables: CommittedStore;
  readonly block: BlockStore;
}

export function createPages({ refs, tables, block }: PagesParts) {
  const committedPages = new CommittedPages();
  const texts = new SerializedListings(tables, block);
  const repositoryOf = (name: RepositoryName): Promise<Repository> => refs.getRepository(name);

  async function differencePage(repository: Repository, items: DifferenceItems, request: PagedRequest): Promise<Page<DiffItem>> {
    checkRequest(request);
    try {
      const { results, hasMore, nextOffset } = await pageOf(items, request);
      return { hasMore, nextOffset, results: results.map(result => diffItem(repository, result)) };
    } finally {
      await items.close();
    }
  }

  function diffItem(repository: Repository, result: PagedItem<KeyDifference>): DiffItem {
    const { path } = result;
    if ('isPrefix' in result) return { type: 'prefix_changed', kind: 'common_prefix', path };
    const { type, left, right } = result.item;
    const value = right ?? left;
    return { type, kind: 'object', path, entry: value && entryFrom(block, repository, path, value) };
  }

  return {
    async list(id, ref, request = {}) {
      const repository = await repositoryOf(id);
      checkRequest(request);
      const known = committedPages.get(repository, await refs.committedPart(repository, ref, firstKey(request)), request);
      if (known) return known;
      const view = await refs.view(repository, ref);
      try {
        const { results, nextKey, ...rest } = await pageOf(new ViewItems(view), request);
        const page = {
          ...rest,
          results: results.map(
            (result): ListItem =>
              'isPrefix' in result
                ? { kind: 'common_prefix', path: result.path }
                : { kind: 'object', path: result.path, entry: entryFrom(block, repository, result.path, result.item) },
          ),
        };
        if (view.metarangeId !== undefined) committedPages.set(repository, view.metarangeId, request, { page, nextKey });
        return page;
      } finally {
        view.close();
      }
    },

    async listText(id, ref, request, serialize) {
      const repository = await repositoryOf(id);
      checkRequest(request);
      if (request.delimiter) return undefined;
      const { metarangeId, uncommitted } = await refs.committedPart(repository, ref, firstKey(request));
      const { nextKey, ...page } = await texts.page(repository, metarangeId, request, serialize);
      return uncommitted && isWithin(uncommitted, request, nextKey) ? undefined : page;
    },

    async diffUncommitted(id, branch, request = {}) {
      const repository = await repositoryOf(id);
      await refs.getBranch(repository, branch);
      return differencePage(
        repository,
        new DifferenceItems(r => refs.uncommittedRecords(repository, branch, r), request.prefix ?? ''),
        request,
      );
    },
    async diff(id, left, right, { type = 'three_dot', signal, ...request } = {}) {
      const repository = await repositoryOf(id);
      const compare = type === 'two_dot' ? refs.diffRecords : refs.compareRecords;
      const open = (r: DifferenceRequest) => compare(repository, left, right, { ...r, signal });
      return differencePage(repository, new DifferenceItems(open, request.prefix ?? ''), request);
    },
  } satisfies Partial<Engine>;
}

function checkRequest({ prefix = '', delimiter = '' }: PagedRequest): void {
  checkPrefix(prefix, 'prefix');
  checkPrefix(delimiter, 'delimiter');
}

/** The records of a view, as pages take them. */
class ViewItems implements SeekableItems<StoredValue> {
  readonly #view: ViewCursor;

  constructor(view: ViewCursor) {
    this.#view = view;
  }

  get current(): SeekableItems<StoredValue>['current'] {
    const { current } = this.#view;
    return current && { key: current.key, item: current.value };
  }

  seek(key: Buffer): Promise<void> {
    return this.#view.seek(key);
  }

  next(): Promise<void> | undefined {
    return this.#view.next();
  }
}

/**
 * Pages of listings that show nothing but what is committed. They never change, and readers of a data set list the same
 * folders again and again: what remains to be asked is whether something uncommitted lies in between.
 */
import { pageSize } from '@srv/lib-records';
import { namespaceOf } from '@srv/lib-stores/block';
import { LRUCache } from 'lru-cache';
import { isWithin } from './listing.js';
import type { CommittedPart, Page, Repository } from '../refs/contract.js';
import type { ListItem } from './contract.js';
import type { PagedRequest } from './listing.js';

/** @bound items of all kept pages together, of about a kilobyte each */
const maxItems = 10_000;

interface KeptPage {
  readonly page: Page<ListItem>;
  /** As in {@link FilledPage}. */
  readonly nextKey: Buffer | undefined;
}

export class CommittedPages {
  readonly #pages = new LRUCache<string, KeptPage>({ maxSize: maxItems, sizeCalculation: ({ page }) => page.results.length + 1 });

  /** A page that shows what `ref` showed when `part` was asked for. */
  get(repository: Repository, { metarangeId, uncommitted }: CommittedPart, request: PagedRequest): Page<ListItem> | undefined {
    const kept = this.#pages.get(nameOf(repository, metarangeId, request));
    if (!kept) return undefined;
    const { page, nextKey } = kept;
    return uncommitted && isWithin(uncommitted, request, nextKey) ? undefined : page;
  }

  /** @param metarangeId of which all of the page is. */
  set(repository: Repository, metarangeId: string, request: PagedRequest, kept: KeptPage): void {
    this.#pages.set(nameOf(repository, metarangeId, request), kept);
  }
}

function nameOf(repository: Repository, metarangeId: string, { prefix = '', after = '', delimiter = '', amount }: PagedRequest): string {
  return JSON.stringify([namespaceOf(repository), metarangeId, prefix, after, delimiter, pageSize(amount)]);
}

/**
 * Pages of objects as JSON. For what has not changed the engine gives the same page again; its text is kept as long as the
 * page is.
 */
import { presentPage } from '@srv/lib-operations';
import { presentListItem } from '../present.js';
import type { ListItem } from '@srv/catalog/contract';
import type { Page } from '@srv/versioning/contract';

interface Texts {
  withMetadata?: Buffer;
  withoutMetadata?: Buffer;
}

const kept = new WeakMap<Page<ListItem>, Texts>();

export function listingText(page: Page<ListItem>, userMetadata: boolean): Buffer {
  const texts = kept.get(page) ?? {};
  kept.set(page, texts);
  const member = userMetadata ? 'withMetadata' : 'withoutMetadata';
  texts[member] ??= Buffer.from(`${JSON.stringify(presentPage(page, item => presentListItem(item, userMetadata)))}\n`);
  return texts[member];
}

/**
 * Pages of objects as JSON. For what has not changed the engine gives the same page again; its text is kept as long as the
 * page is.
 */
import { presentPage, presentPagination } from '@srv/lib-api';
import { presentListItem } from '../present.js';
import type { Engine, ListItem, ListRequest, Page } from '../../contract.js';

interface Texts {
  withMetadata?: Buffer;
  withoutMetadata?: Buffer;
}

const kept = new WeakMap<Page<ListItem>, Texts>();

/** A page of a repository's objects as the list operation answers it. */
export async function listingText(
  engine: Engine,
  { repository, ref, user_metadata: userMetadata }: { readonly repository: string; readonly ref: string; readonly user_metadata: boolean },
  request: ListRequest,
): Promise<Buffer> {
  const page = await engine.listText(repository, ref, request, userMetadata ? serializeItem : serializePlainItem);
  if (!page) return pageText(await engine.list(repository, ref, request), userMetadata);
  const { pieces, count, ...place } = page;
  const head = JSON.stringify(presentPagination({ ...place, count }));
  const parts: Buffer[] = [Buffer.from(`{"pagination":${head},"results":[`)];
  for (const [i, piece] of pieces.entries()) {
    if (i > 0) parts.push(comma);
    parts.push(piece);
  }
  return Buffer.concat([...parts, tail]);
}

const comma = Buffer.from(',');
const tail = Buffer.from(']}\n');

function serializeItem(item: ListItem): string {
  return JSON.stringify(presentListItem(item, true));
}

function serializePlainItem(item: ListItem): string {
  return JSON.stringify(presentListItem(item, false));
}

function pageText(page: Page<ListItem>, userMetadata: boolean): Buffer {
  const texts = kept.get(page) ?? {};
  kept.set(page, texts);
  const member = userMetadata ? 'withMetadata' : 'withoutMetadata';
  texts[member] ??= Buffer.from(`${JSON.stringify(presentPage(page, item => presentListItem(item, userMetadata)))}\n`);
  return texts[member];
}

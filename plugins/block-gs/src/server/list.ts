/** Listings, page by page, in byte order of the names. */
import { throwIfAborted } from '@srv/kernel';
import { listedFields } from './resource.js';
import type { BucketKey } from '@srv/lib-stores/block';
import type { Api } from './api.js';
import type { ObjectResource } from './resource.js';

/** @param from the first name that counts, or one before it. */
export async function* listObjects(
  api: Api,
  { bucket, key: prefix }: BucketKey,
  { from, signal }: { from?: string; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<readonly ObjectResource[]> {
  let pageToken: string | undefined;
  do {
    throwIfAborted(signal);
    const page: { items?: ObjectResource[]; nextPageToken?: string } = await api.json({
      path: `/storage/v1/b/${encodeURIComponent(bucket)}/o`,
      query: { prefix, startOffset: from, maxResults: String(api.pageSize), pageToken, fields: listedFields },
      signal,
    });
    if (page.items && page.items.length > 0) yield page.items;
    pageToken = page.nextPageToken;
  } while (pageToken);
}

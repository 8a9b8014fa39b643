/** Listings, page by page, in byte order of the names. */
import { throwIfAborted } from '@srv/kernel';
import { addressOf } from './address.js';
import { RequestFailure, unexpectedAnswer } from './errors.js';
import { etagOf, listedFields, pageKind, sizeOf, updatedOf } from './resource.js';
import type { BucketKey, WalkOptions, WalkedObject } from '@srv/lib-stores/block';
import type { Api } from './client.js';
import type { ObjectResource } from './resource.js';

interface Page {
  readonly kind?: string;
  readonly items?: readonly ObjectResource[];
  readonly nextPageToken?: string;
}

/** @param from the first name that counts, or one before it. */
export async function* listObjects(
  api: Api,
  { bucket, key: prefix }: BucketKey,
  { from, signal }: { from?: string | undefined; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<readonly ObjectResource[]> {
  let pageToken: string | undefined;
  do {
    throwIfAborted(signal);
    const page: Page = await pageOf(
      api.json({
        path: `/storage/v1/b/${encodeURIComponent(bucket)}/o`,
        query: { prefix, startOffset: from, maxResults: String(api.pageSize), pageToken, fields: listedFields },
        signal,
      }),
    );
    if (page.items && page.items.length > 0) yield page.items;
    pageToken = page.nextPageToken;
  } while (pageToken);
}

/** What is taken for an empty page by mistake ends the listing, and objects count as gone. @throws RequestFailure */
async function pageOf(answer: Promise<Page | undefined>): Promise<Page> {
  const page = await answer.catch((error: unknown) => {
    // The service knows the bucket, or says that it does not exist.
    if (!(error instanceof RequestFailure) || error.status !== 404 || error.reason !== undefined) throw error;
    throw unexpectedAnswer('a request for a listing', error.status);
  });
  if (page?.kind !== pageKind) throw unexpectedAnswer('it is not a listing');
  return page;
}

/** @param prefix of the names; keys are reported relative to it up to and including its last `/`. */
export async function* walkObjects(
  client: Api,
  prefix: BucketKey,
  { after = '', signal }: WalkOptions,
): AsyncGenerator<readonly WalkedObject[]> {
  const folder = prefix.key.slice(0, prefix.key.lastIndexOf('/') + 1);
  for await (const page of listObjects(client, prefix, { from: after === '' ? undefined : folder + after, signal })) {
    const objects = page.filter(({ name }) => after === '' || name !== folder + after);
    if (objects.length === 0) continue;
    yield objects.map(found => ({
      relativeKey: found.name.slice(folder.length),
      address: addressOf(prefix.bucket, found.name),
      size: sizeOf(found),
      etag: etagOf(found),
      lastModified: updatedOf(found),
    }));
  }
}

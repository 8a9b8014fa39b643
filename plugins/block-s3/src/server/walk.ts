/** Lists objects in byte order of their keys. */

import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { SrvError, throwIfAborted } from '@srv/kernel';
import { bareEtag } from '@srv/lib-stores/block';
import { abortable } from './abortable.js';
import { UnexpectedAnswer, answerOf, present } from './errors.js';
import type { ListMultipartUploadsCommandOutput, ListObjectsV2CommandInput, ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import type { OpenUpload, WalkedObject } from '@srv/lib-stores/block';
import type { ObjectPlace } from './address.js';

type ListObjectsStart = Pick<ListObjectsV2CommandInput, 'StartAfter' | 'ContinuationToken'>;

interface WalkOptions {
  /** Keys up to this one are left out; relative to the folder of the prefix. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Objects of a page. */
  readonly pageSize: number;
}

/** @param place its key is the prefix; keys are reported relative to it up to and including its last `/`. */
export async function* walkObjects(place: ObjectPlace, { after, signal, pageSize }: WalkOptions): AsyncGenerator<readonly WalkedObject[]> {
  const { client, bucket, key: prefix } = place;
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  let start: ListObjectsStart | undefined = { StartAfter: after ? folder + after : undefined };
  while (start) {
    throwIfAborted(signal);
    const answer: ListObjectsV2CommandOutput = await listed(
      client.send(
        // XML cannot hold every character of a key, percent-encoding can.
        new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: pageSize, EncodingType: 'url', ...start }),
        abortable(signal),
      ),
      ({ IsTruncated, Name, KeyCount }) => IsTruncated ?? Name ?? KeyCount,
    );
    const { Contents = [], IsTruncated, NextContinuationToken, EncodingType } = answer;
    const page = Contents.map(({ Key = '', Size = 0, ETag = '', LastModified = new Date(0) }) => {
      const key = EncodingType === 'url' ? decoded(Key, place.address) : Key;
      return { key, size: Size, etag: bareEtag(ETag), lastModified: LastModified };
    });
    const last = page.at(-1)?.key;
    if (IsTruncated !== true) start = undefined;
    else if (last !== undefined) start = { StartAfter: last };
    // Such as a page of removed objects only.
    else start = { ContinuationToken: present(NextContinuationToken, 'NextContinuationToken, though it has more keys') };
    if (page.length > 0)
      yield page.map(({ key, ...facts }) => ({ relativeKey: key.slice(folder.length), address: `s3://${bucket}/${key}`, ...facts }));
  }
}

/** Uploads of objects whose key begins with that of `place`. */
export async function* listUploads(
  { client, bucket, key: prefix, address }: ObjectPlace,
  { signal, pageSize }: Omit<WalkOptions, 'after'>,
): AsyncGenerator<readonly OpenUpload[]> {
  let marker: { readonly KeyMarker?: string | undefined; readonly UploadIdMarker?: string | undefined } | undefined = {};
  while (marker) {
    throwIfAborted(signal);
    const answer: ListMultipartUploadsCommandOutput = await listed(
      client.send(
        new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, MaxUploads: pageSize, EncodingType: 'url', ...marker }),
        abortable(signal),
      ),
      ({ IsTruncated, Bucket }) => IsTruncated ?? Bucket,
    );
    const { Uploads = [], IsTruncated, NextKeyMarker, NextUploadIdMarker, EncodingType } = answer;
    const keyOf = (key: string): string => (EncodingType === 'url' ? decoded(key, address) : key);
    const page = Uploads.flatMap(({ Key = '', UploadId = '', Initiated }) =>
      UploadId !== '' && keyOf(Key).startsWith(prefix)
        ? [{ address: `s3://${bucket}/${keyOf(Key)}`, uploadId: UploadId, startedAt: Initiated ?? new Date() }]
        : [],
    );
    if (page.length > 0) yield page;
    if (IsTruncated !== true) marker = undefined;
    else {
      const next = present(NextKeyMarker, 'NextKeyMarker, though it has more uploads');
      marker = { KeyMarker: keyOf(next), UploadIdMarker: NextUploadIdMarker };
    }
  }
}

/**
 * A page of a listing. What is taken for an empty one by mistake ends the listing, and objects count as gone.
 * @param proof a member that every page has.
 * @throws UnexpectedAnswer
 */
async function listed<Page>(request: Promise<Page>, proof: (page: Page) => unknown): Promise<Page> {
  let page: Page;
  try {
    page = await request;
  } catch (error) {
    // The store lists nothing below an unknown prefix, and names a bucket that is missing.
    if (answerOf(error)?.status !== 404 || (error instanceof Error && error.name === 'NoSuchBucket')) throw error;
    throw new UnexpectedAnswer('it answered a request for a listing with 404', { cause: error });
  }
  if (proof(page) === undefined) throw new UnexpectedAnswer('the answer is not a listing');
  return page;
}

/** Stores write a space as `+`, as in forms, or as `%20`. */
function decoded(key: string, address: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch (error) {
    throw new SrvError('corrupt', `${address}: the store lists the key ${key}, which is not percent-encoded UTF-8`, { cause: error });
  }
}

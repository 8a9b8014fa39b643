/** Lists objects in byte order of their keys. */

import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { SrvError, throwIfAborted } from '@srv/kernel';
import { bareEtag } from '@srv/lib-stores/block';
import { abortable } from './abortable.js';
import type { ListMultipartUploadsCommandOutput } from '@aws-sdk/client-s3';
import type { OpenUpload, WalkedObject } from '@srv/lib-stores/block';
import type { ObjectPlace } from './address.js';

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
  for (let last = after ? folder + after : undefined, more = true; more; ) {
    throwIfAborted(signal);
    const {
      Contents = [],
      IsTruncated,
      EncodingType,
    } = await client.send(
      // XML cannot hold every character of a key, percent-encoding can.
      new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, StartAfter: last, MaxKeys: pageSize, EncodingType: 'url' }),
      abortable(signal),
    );
    const page = Contents.map(({ Key = '', Size = 0, ETag = '', LastModified = new Date(0) }) => {
      const key = EncodingType === 'url' ? decoded(Key, place.address) : Key;
      return { key, size: Size, etag: bareEtag(ETag), lastModified: LastModified };
    });
    last = page.at(-1)?.key;
    more = IsTruncated === true && last !== undefined;
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
    const answer: ListMultipartUploadsCommandOutput = await client.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix, MaxUploads: pageSize, EncodingType: 'url', ...marker }),
      abortable(signal),
    );
    const { Uploads = [], IsTruncated, NextKeyMarker, NextUploadIdMarker, EncodingType } = answer;
    const keyOf = (key: string): string => (EncodingType === 'url' ? decoded(key, address) : key);
    const page = Uploads.flatMap(({ Key = '', UploadId = '', Initiated }) =>
      UploadId !== '' && keyOf(Key).startsWith(prefix)
        ? [{ address: `s3://${bucket}/${keyOf(Key)}`, uploadId: UploadId, startedAt: Initiated ?? new Date() }]
        : [],
    );
    if (page.length > 0) yield page;
    marker = IsTruncated === true && NextKeyMarker ? { KeyMarker: keyOf(NextKeyMarker), UploadIdMarker: NextUploadIdMarker } : undefined;
  }
}

/** Stores write a space as `+`, as in forms, or as `%20`. */
function decoded(key: string, address: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch (error) {
    throw new SrvError('corrupt', `${address}: the store lists the key ${key}, which is not percent-encoded UTF-8`, { cause: error });
  }
}

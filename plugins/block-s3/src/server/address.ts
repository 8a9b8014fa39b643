/** Where an object lies, and what is sent with every object written. */
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { abortable } from './abortable.js';
import { present } from './errors.js';
import type { CreateMultipartUploadCommandInput, HeadObjectCommandOutput, S3Client, ServerSideEncryption } from '@aws-sdk/client-s3';
import type { BlockPlace } from '@srv/lib-stores/block';

export const scheme = 's3';

export interface ObjectPlace extends BlockPlace {
  /** Of the bucket's region. */
  readonly client: S3Client;
  readonly bucket: string;
  /** Never decoded or normalised. */
  readonly key: string;
}

export interface Encryption {
  readonly ServerSideEncryption?: ServerSideEncryption;
  readonly SSEKMSKeyId?: string;
}

/** Facts of an object without its bytes. @throws UnexpectedAnswer when they have no etag, which every object has. */
export async function headObject({ client, bucket, key }: ObjectPlace, signal?: AbortSignal): Promise<HeadObjectCommandOutput> {
  const head = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), abortable(signal));
  present(head.ETag, 'ETag');
  return head;
}

/** What stays with an object, in the terms of the client library. */
export type ObjectFacts = Pick<
  CreateMultipartUploadCommandInput,
  'StorageClass' | 'ContentType' | 'ContentEncoding' | 'ContentDisposition' | 'ContentLanguage' | 'CacheControl' | 'Metadata'
>;

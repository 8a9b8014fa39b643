/** Where an object lies, and what is sent with every object written. */
import { abortable } from './abortable.js';
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import type { CreateMultipartUploadCommandInput, HeadObjectCommandOutput, S3Client, ServerSideEncryption } from '@aws-sdk/client-s3';

export interface ObjectLocation {
  /** Of the bucket's region. */
  readonly client: S3Client;
  readonly bucket: string;
  /** Never decoded or normalised. */
  readonly key: string;
  /** Full URI, for messages. */
  readonly address: string;
}

export interface Encryption {
  readonly ServerSideEncryption?: ServerSideEncryption;
  readonly SSEKMSKeyId?: string;
}

/** Facts of an object without its bytes. */
export function headObject({ client, bucket, key }: ObjectLocation, signal?: AbortSignal): Promise<HeadObjectCommandOutput> {
  return client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), abortable(signal));
}

/** What stays with an object, in the terms of the client library. */
export type ObjectFacts = Pick<
  CreateMultipartUploadCommandInput,
  'StorageClass' | 'ContentType' | 'ContentEncoding' | 'ContentDisposition' | 'ContentLanguage' | 'CacheControl' | 'Metadata'
>;

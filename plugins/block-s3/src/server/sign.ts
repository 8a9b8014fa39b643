/** URLs that let others read and write for a while. */
import { GetObjectCommand, PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { attachment } from '@srv/block-driver';
import type { S3Client } from '@aws-sdk/client-s3';
import type { PreSigned } from '@srv/kernel';
import type { Place } from './place.js';

/** Signs one kind of request. */
export type Sign = (client: S3Client, options: { readonly expiresIn: number; readonly signingDate: Date }) => Promise<string>;

export function signRead({ bucket, key }: Place, filename: string | undefined): Sign {
  const disposition = filename === undefined ? undefined : attachment(filename);
  return (client, options) =>
    getSignedUrl(client, new GetObjectCommand({ Bucket: bucket, Key: key, ResponseContentDisposition: disposition }), options);
}

export function signWrite({ bucket, key }: Place): Sign {
  return (client, options) => getSignedUrl(client, new PutObjectCommand({ Bucket: bucket, Key: key }), options);
}

export function signPart({ bucket, key }: Place, uploadId: string, partNumber: number): Sign {
  return (client, options) =>
    getSignedUrl(client, new UploadPartCommand({ Bucket: bucket, Key: key, UploadId: uploadId, PartNumber: partNumber }), options);
}

/**
 * @param client the one whose endpoint the URL shall show.
 * @param expiryMs validity in milliseconds; it ends earlier when the credentials do.
 */
export async function preSigned(client: S3Client, sign: Sign, expiryMs: number): Promise<PreSigned> {
  const seconds = Math.floor(expiryMs / 1000);
  const signingDate = new Date();
  const { expiration } = await client.config.credentials();
  const url = await sign(client, { expiresIn: seconds, signingDate });
  // The URL counts from a whole second.
  const end = (Math.floor(signingDate.getTime() / 1000) + seconds) * 1000;
  return { url, expiry: new Date(Math.min(end, expiration?.getTime() ?? end)) };
}

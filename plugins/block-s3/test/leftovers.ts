/** What a test server holds, seen without the driver. */
import { ListMultipartUploadsCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import type { S3Server } from '@srv/test-servers/s3';

/** Keys of the bucket that contain `part`: of objects, and of uploads that were not ended. */
export async function leftovers({ url, namespace, accessKeyId, secretAccessKey }: S3Server, part: string) {
  const client = new S3Client({ endpoint: url, region: 'us-east-1', forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } });
  const [, Bucket = '', Prefix = ''] = /^s3:\/\/([^/]+)\/(.*)$/.exec(namespace) ?? [];
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix }));
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }));
  client.destroy();
  const keys = (found: readonly { readonly Key?: string | undefined }[]): string[] =>
    found.map(({ Key = '' }) => Key).filter(key => key.includes(part));
  return { objects: keys(Contents), uploads: keys(Uploads) };
}

export const nothing = { objects: [], uploads: [] };

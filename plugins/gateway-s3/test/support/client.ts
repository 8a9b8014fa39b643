/** The AWS SDK, pointed at a test server. */
import { S3Client } from '@aws-sdk/client-s3';
import { accessKeyId, secretAccessKey } from './server.js';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import type { TestServer } from './server.js';

export function s3Client({ url }: Pick<TestServer, 'url'>, options: Partial<S3ClientConfig> = {}): S3Client {
  return new S3Client({
    endpoint: url,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: 1,
    ...options,
  });
}

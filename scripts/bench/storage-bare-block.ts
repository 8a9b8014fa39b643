/** The client libraries of the block stores with nothing around them. */

import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { BlobServiceClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import { Storage } from '@google-cloud/storage';
import type { Readable } from 'node:stream';

export interface Task {
  readonly block: 's3' | 'azure' | 'gs';
  readonly side: 'driver' | 'bare';
  readonly direction: 'up' | 'down';
  readonly env: Readonly<Record<string, string>>;
  readonly namespace: string;
  /** Bytes. */
  readonly size: number;
}

interface BareBlock {
  upload(content: Readable): Promise<unknown>;
  download(): Promise<AsyncIterable<unknown>>;
}

const key = 'bare/large';
const blockBytes = 8 << 20;
const parallelBlocks = 2;

export function bareBlock(task: Task): BareBlock {
  return { s3, azure, gs }[task.block](task);
}

function s3({ env, namespace, size }: Task): BareBlock {
  const Bucket = namespace.split('/')[2];
  const prefix = namespace.split('/').slice(3).join('/');
  const Key = prefix === '' ? key : `${prefix}/${key}`;
  const client = new S3Client({
    endpoint: env.SRV_BLOCKSTORE_S3_ENDPOINT ?? '',
    region: 'us-east-1',
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    credentials: {
      accessKeyId: env.SRV_BLOCKSTORE_S3_CREDENTIALS_ACCESS_KEY_ID ?? '',
      secretAccessKey: env.SRV_BLOCKSTORE_S3_CREDENTIALS_SECRET_ACCESS_KEY ?? '',
    },
  });
  return {
    upload: Body => client.send(new PutObjectCommand({ Bucket, Key, Body, ContentLength: size })),
    async download() {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      return Body as Readable;
    },
  };
}

function azure({ env, namespace }: Task): BareBlock {
  const account = env.SRV_BLOCKSTORE_AZURE_STORAGE_ACCOUNT ?? '';
  const credential = new StorageSharedKeyCredential(account, env.SRV_BLOCKSTORE_AZURE_STORAGE_ACCESS_KEY ?? '');
  const service = new BlobServiceClient(env.SRV_BLOCKSTORE_AZURE_TEST_ENDPOINT_URL ?? '', credential);
  const blob = service.getContainerClient(namespace.split('/')[3] ?? '').getBlockBlobClient(key);
  return {
    upload: content => blob.uploadStream(content, blockBytes, parallelBlocks),
    async download() {
      return (await blob.download()).readableStreamBody as Readable;
    },
  };
}

function gs({ env, namespace }: Task): BareBlock {
  const [, , bucket = ''] = namespace.split('/');
  const storage = new Storage({
    apiEndpoint: env.SRV_BLOCKSTORE_GS_TEST_ENDPOINT_URL ?? '',
    credentials: JSON.parse(env.SRV_BLOCKSTORE_GS_CREDENTIALS_JSON ?? '{}') as { client_email: string; private_key: string },
  });
  const file = storage.bucket(bucket).file(key);
  return {
    upload: content =>
      new Promise((resolve, reject) => {
        content
          .pipe(file.createWriteStream({ resumable: false }))
          .on('finish', resolve)
          .on('error', reject);
      }),
    download: async () => file.createReadStream({ validation: false }),
  };
}

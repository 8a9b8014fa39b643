/** The AWS SDK for JavaScript, version 3. */
import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { mkdir, open, readFile, stat } from 'node:fs/promises';
import { Agent } from 'node:https';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
  UploadPartCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3';
import { NodeHttp2Handler } from '@smithy/node-http-handler';
import { s3Client } from '../support/client.js';
import { filesBelow, notInXml } from './program.js';
import type { Readable } from 'node:stream';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import type { S3Program, Site } from './program.js';

const partBytes = 16 << 20;

/** Over TLS the SDK speaks HTTP/1.1, unless it gets another handler. */
function optionsFor({ certificate }: Pick<Site, 'certificate'>, http2: boolean): Partial<S3ClientConfig> {
  if (certificate === undefined) return {};
  const ca = readFileSync(certificate);
  if (!http2) return { requestHandler: { httpsAgent: new Agent({ ca }) } };
  // With a checksum in a trailer it announces an encoding that HTTP/2 does not have.
  return { requestHandler: new NodeHttp2Handler({ nodeHttp2ConnectOptions: { ca } }), requestChecksumCalculation: 'WHEN_REQUIRED' };
}

export const awsSdk = (name: string, { http2 = false } = {}): S3Program => ({
  name,
  http2,
  version: async () => (createRequire(import.meta.url)('@aws-sdk/client-s3/package.json') as { version: string }).version,
  steps({ url, bucket: Bucket, certificate }) {
    const trust = certificate === undefined ? {} : { certificate };
    const client = s3Client({ url }, optionsFor(trust, http2));
    const put = async (file: string, Key: string): Promise<void> => {
      await client.send(new PutObjectCommand({ Bucket, Key, Body: createReadStream(file), ContentLength: (await stat(file)).size }));
    };
    const get = async (Key: string, file: string): Promise<void> => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
      await pipeline(Body as Readable, createWriteStream(file));
    };
    const copy = (from: string, Key: string): Promise<unknown> =>
      client.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/${from.split('/').map(encodeURIComponent).join('/')}` }));
    const keysBelow = async (Prefix: string): Promise<string[]> => {
      const keys: string[] = [];
      // XML cannot hold every character of a key.
      const input = { Bucket, Prefix, EncodingType: 'url' } as const;
      for await (const { Contents = [] } of paginateListObjectsV2({ client, pageSize: 100 }, input))
        keys.push(...Contents.map(({ Key = '' }) => decodeURIComponent(Key)));
      return keys;
    };
    return {
      buckets: async () => JSON.stringify((await client.send(new ListBucketsCommand({}))).Buckets),
      put,
      get,
      async range(Key, first, last) {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, Range: `bytes=${first}-${last}` }));
        return (await Body?.transformToString()) ?? '';
      },
      async putLarge(file, Key) {
        const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
        const Parts = [];
        const handle = await open(file);
        try {
          const { size } = await handle.stat();
          for (let at = 0, PartNumber = 1; at < size; at += partBytes, PartNumber++) {
            const Body = Buffer.alloc(Math.min(partBytes, size - at));
            await handle.read(Body, 0, Body.length, at);
            const { ETag } = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }));
            Parts.push({ PartNumber, ETag });
          }
        } finally {
          await handle.close();
        }
        await client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));
      },
      copy,
      remove: Key => client.send(new DeleteObjectCommand({ Bucket, Key })),
      async syncUp(folder, prefix) {
        for (const file of await filesBelow(folder)) await put(file, `${prefix}${relative(folder, file)}`);
      },
      async syncDown(prefix, folder) {
        for (const key of await keysBelow(prefix)) {
          const file = join(folder, key.slice(prefix.length));
          await mkdir(dirname(file), { recursive: true });
          await get(key, file);
        }
      },
      async copyAll(from, to) {
        for (const key of await keysBelow(from)) await copy(key, to + key.slice(from.length));
      },
      async removeAll(prefix) {
        const keys = await keysBelow(prefix);
        const [listed, single] = [keys.filter(key => !notInXml.names.test(key)), keys.filter(key => notInXml.names.test(key))];
        await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: listed.map(Key => ({ Key })) } }));
        for (const Key of single) await client.send(new DeleteObjectCommand({ Bucket, Key }));
      },
      more: http2
        ? undefined
        : {
            'streamed body with checksum trailer': async prefix => {
              const [Key, file] = [`${prefix}streamed`, import.meta.filename];
              const ContentLength = (await stat(file)).size;
              await client.send(
                new PutObjectCommand({ Bucket, Key, Body: createReadStream(file), ContentLength, ChecksumAlgorithm: 'CRC32C' }),
              );
              const { Body } = await client.send(new GetObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
              if ((await Body?.transformToString()) !== (await readFile(file, 'utf8'))) throw new Error('other bytes came back');
            },
          },
    };
  },
});

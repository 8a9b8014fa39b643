/** S3 with the credentials a script gives. */
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { awsClients } from './aws-clients.js';
import { readWhole } from './protocol.js';
import type { Readable } from 'node:stream';
import type { Input, OutsideService } from './protocol.js';

const clientOf = awsClients(
  settings =>
    new S3Client({
      ...settings,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      forcePathStyle: settings.endpoint !== undefined,
    }),
);

const place = (input: Input) => ({ Bucket: input.text('bucket'), Key: input.text('object') });

const s3: OutsideService = {
  async get(input, limits) {
    try {
      const { Body } = await clientOf(input).send(new GetObjectCommand(place(input)));
      return Body === undefined ? new Uint8Array() : await readWhole(Body as Readable, limits);
    } catch (error) {
      if (error instanceof S3ServiceException && ['NoSuchKey', 'NoSuchBucket', 'NotFound'].includes(error.name)) return undefined;
      throw error;
    }
  },
  async put(input) {
    await clientOf(input).send(new PutObjectCommand({ ...place(input), Body: input.bytes('data') }));
  },
  async delete(input) {
    await clientOf(input).send(new DeleteObjectCommand(place(input)));
  },
  /** Page by page: what lies below a prefix may be a lot. */
  async deleteRecursive(input) {
    const client = clientOf(input);
    const where = { Bucket: input.text('bucket'), Prefix: input.text('prefix') };
    for (;;) {
      const { Contents = [], IsTruncated = false } = await client.send(new ListObjectsV2Command(where));
      if (Contents.length === 0) return;
      const Objects = Contents.map(({ Key = '' }) => ({ Key }));
      const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket: where.Bucket, Delete: { Objects, Quiet: true } }));
      const [refused] = Errors;
      if (refused) throw new Error(`s3://${where.Bucket}/${refused.Key ?? ''} was not deleted: ${refused.Message ?? refused.Code ?? ''}`);
      if (!IsTruncated) return;
    }
  },
  /** Newest names first, as scripts expect. */
  async list(input) {
    const prefix = input.optional('prefix');
    const continuation = input.optional('continuation');
    const delimiter = input.optional('delimiter');
    const page = await clientOf(input).send(
      new ListObjectsV2Command({
        Bucket: input.text('bucket'),
        Prefix: prefix,
        ContinuationToken: continuation,
        Delimiter: delimiter,
      }),
    );
    const prefixes = (page.CommonPrefixes ?? []).map(({ Prefix = '' }) => ({ key: Prefix, type: 'prefix' }));
    const objects = (page.Contents ?? []).map(({ Key = '', ETag = '', Size = 0, LastModified }) => ({
      key: Key,
      type: 'object',
      etag: ETag,
      size: Size,
      last_modified: LastModified?.toISOString().replace(/\.\d+Z$/, 'Z') ?? '',
    }));
    return {
      is_truncated: page.IsTruncated ?? false,
      next_continuation_token: page.NextContinuationToken ?? '',
      results: [...prefixes, ...objects].toSorted((a, b) => (a.key < b.key ? 1 : -1)),
    };
  },
};

export default s3;

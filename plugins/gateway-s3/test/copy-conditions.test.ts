/** Copies whose source is replaced after it was found: conditions and checksums are of what is copied. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { CopyObjectCommand, GetObjectCommand, PutObjectCommand, S3ServiceException } from '@aws-sdk/client-s3';
import { s3Client } from './support/client.js';
import { createRepository, startServer } from './support/server.js';
import type { TestContext } from 'node:test';
import type { CopyObjectCommandInput, S3Client } from '@aws-sdk/client-s3';
import type { Engine } from '@srv/engine/contract';
import type { TestServer } from './support/server.js';

let server: TestServer;
let client: S3Client;
let engine: Engine;
before(async () => {
  server = await startServer();
  client = s3Client(server);
  engine = server.kernel.services.get('engine');
  await createRepository(server, 'one');
  await createRepository(server, 'two');
});
after(async () => {
  client.destroy();
  await server.stop();
});

const source = { Bucket: 'one', Key: 'main/source' };
const write = (Body: string) => client.send(new PutObjectCommand({ ...source, Body }));
const copyTo = (Bucket: string, more: Partial<CopyObjectCommandInput>) =>
  client.send(new CopyObjectCommand({ Bucket, Key: 'main/copy', CopySource: 'one/main/source', ...more }));
const refused = (status: number, name: string) => (error: unknown) =>
  error instanceof S3ServiceException && error.name === name && error.$metadata.httpStatusCode === status;
const isAbsent = (Bucket: string) =>
  assert.rejects(client.send(new GetObjectCommand({ Bucket, Key: 'main/copy' })), refused(404, 'NoSuchKey'));

/** The source is replaced right before the next call of a method runs. */
function replacesBefore(t: TestContext, method: 'copyObject' | 'open'): void {
  const real = engine[method].bind(engine) as (...args: unknown[]) => Promise<unknown>;
  const { mock } = t.mock.method(engine as unknown as Record<string, typeof real>, method, async (...args: unknown[]) => {
    mock.restore();
    await write('new');
    return real(...args);
  });
}

for (const bucket of ['one', 'two'])
  describe(`a copy to ${bucket === 'one' ? 'the same' : 'another'} bucket`, () => {
    it('is refused when its condition does not hold for what would be copied', async t => {
      const { ETag } = await write('old');
      replacesBefore(t, 'copyObject');
      await assert.rejects(copyTo(bucket, { CopySourceIfMatch: ETag }), refused(412, 'PreconditionFailed'));
      await isAbsent(bucket);
      await assert.rejects(copyTo(bucket, { CopySourceIfMatch: ETag }), refused(412, 'PreconditionFailed'));
    });

    it('is refused when the source is replaced while its checksum is calculated, and made when it is repeated', async t => {
      await write('old');
      replacesBefore(t, 'open');
      const more = { ChecksumAlgorithm: 'SHA256' } as const;
      await assert.rejects(copyTo(bucket, more), refused(409, 'OperationAborted'));
      await isAbsent(bucket);
      assert.ok((await copyTo(bucket, more)).CopyObjectResult);
      const { Body, ...copied } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'main/copy', ChecksumMode: 'ENABLED' }));
      assert.equal(await Body?.transformToString(), 'new');
      assert.equal(copied.ChecksumSHA256, createHash('sha256').update('new').digest('base64'));
    });
  });

/** What the collector makes of the objects of uploads in parts: those of completed ones are objects like all others. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { until } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import { s3Client } from './support/client.js';
import { accessKeyId, createRepository, secretAccessKey, startServer } from './support/server.js';
import type { S3Client } from '@aws-sdk/client-s3';
import type { TestServer } from './support/server.js';

let server: TestServer;
let client: S3Client;
const Bucket = 'repo';

before(async () => {
  const values = { 'gc.unsafe_min_age': true, 'gc.min_age': '1ms' };
  server = await startServer(values, undefined, ['gc']);
  client = s3Client(server);
  await createRepository(server, Bucket);
});
after(async () => {
  client.destroy();
  await server.stop();
});

interface Begun {
  readonly Key: string;
  readonly UploadId: string;
  readonly ETag: string | undefined;
}

async function begin(Key: string): Promise<Begun> {
  const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const { ETag } = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: `by ${UploadId}` }));
  return { Key, UploadId, ETag };
}

const complete = ({ ETag, ...place }: Begun) =>
  client.send(new CompleteMultipartUploadCommand({ Bucket, ...place, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } }));
const read = async (Key: string) => (await client.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString();

async function api(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const authorization = `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString('base64')}`;
  const response = await fetch(`${server.url}/api/v1/repositories/${Bucket}/gc/runs${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  assert.ok(response.ok, JSON.stringify(answer));
  return answer;
}

/** Runs the collector to its end. */
async function collect(): Promise<void> {
  const { id } = await api('POST', '', { mode: 'run', force: true });
  let run: Record<string, unknown> = {};
  await until(async () => {
    run = await api('GET', `/${String(id)}`);
    return ['done', 'failed', 'cancelled'].includes(String(run['phase']));
  });
  assert.equal(run['phase'], 'done', JSON.stringify(run));
}

const addressOf = async (path: string) => (await server.kernel.services.get('engine').getEntry(Bucket, 'main', path)).address;

test('the object of a completed upload stays while the branch has it, and goes when it is overwritten', async () => {
  const [block, engine] = [server.kernel.services.get('block'), server.kernel.services.get('engine')];
  const { storageNamespace: namespace } = await engine.getRepository(Bucket);
  const exists = (identifier: string) => block.exists({ namespace, identifier, identifierType: identifierType.relative });
  const [kept, replaced, open] = [await begin('main/kept'), await begin('main/replaced'), await begin('main/open')];
  await complete(kept);
  const answer = await complete(replaced);
  const old = await addressOf('replaced');
  await collect();
  assert.equal(await exists(old), true);
  await client.send(new PutObjectCommand({ Bucket, Key: 'main/replaced', Body: 'instead' }));
  await collect();
  assert.equal(await exists(old), false);
  assert.deepEqual([await read('main/kept'), await read('main/replaced')], [`by ${kept.UploadId}`, 'instead']);
  // Nothing else was forgotten about either upload.
  await complete(open);
  assert.equal(await read('main/open'), `by ${open.UploadId}`);
  assert.equal((await complete(replaced)).ETag, answer.ETag);
  assert.equal(await read('main/replaced'), 'instead');
});

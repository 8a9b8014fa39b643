/** Writes that outlast a move of the repository to another storage namespace: what they stored is in the one that it has left. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { after, before, test } from 'node:test';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { until } from '@srv/kernel/testing';
import { s3Client } from './support/client.js';
import { createRepository, startServer } from './support/server.js';
import type { S3Client } from '@aws-sdk/client-s3';
import type { Engine } from '@srv/engine/contract';
import type { BlockStore } from '@srv/lib-stores/block';
import type { TestServer } from './support/server.js';

/** Methods of the block store that wait, once each, until the test lets them run. */
class HeldStore {
  readonly #events = new EventEmitter();
  #held: keyof BlockStore | undefined;

  over(block: BlockStore): BlockStore {
    return new Proxy(block, {
      get: (store, name) => {
        const value: unknown = Reflect.get(store, name, store);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]): unknown => {
          const run = (): unknown => Reflect.apply(value, store, args);
          if (name !== this.#held) return run();
          this.#held = undefined;
          this.#events.emit('begun');
          return once(this.#events, 'released').then(run);
        };
      },
    });
  }

  /** @returns what `write` ends with, when `meanwhile` has ended between its begin and that of the method. */
  async during<T>(method: keyof BlockStore, write: () => Promise<T>, meanwhile: () => Promise<void>): Promise<T | Error> {
    this.#held = method;
    const begun = once(this.#events, 'begun');
    const writing = write().catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
    await begun;
    await meanwhile();
    this.#events.emit('released');
    return writing;
  }
}

const held = new HeldStore();
let server: TestServer;
let client: S3Client;
let engine: Engine;
let moves = 0;
before(async () => {
  server = await startServer(
    { 'graveler.reposiory_cache.ttl': '30ms', 'graveler.reposiory_cache.jitter': '0s' },
    own => ({ ...own, block: held.over(own.block) }),
    ['iceberg'],
  );
  client = s3Client(server);
  engine = server.kernel.services.get('engine');
  await createRepository(server, 'repo');
  await client.send(new PutObjectCommand({ Bucket: 'repo', Key: 'main/source', Body: 'precious' }));
});
after(async () => {
  client.destroy();
  await server.stop();
});

async function moveRepository(): Promise<void> {
  await engine.startStorageMove('repo', { storageId: '', storageNamespace: `local://elsewhere-${++moves}` });
  const ended = await until(async () => {
    const move = await engine.storageMove('repo');
    return !move.isRunning && move;
  });
  assert.deepEqual([ended.phase, ended.error], ['done', '']);
}

const codeOf = (outcome: unknown): string => (outcome instanceof S3ServiceException ? outcome.name : `not refused: ${String(outcome)}`);
const read = async (Key: string): Promise<string> =>
  client.send(new GetObjectCommand({ Bucket: 'repo', Key })).then(({ Body }) => Body?.transformToString() ?? '', codeOf);

for (const ref of ['main', '.tables']) {
  test(`an upload in parts to ${ref} is refused, and unknown from then on`, async () => {
    const at = { Bucket: 'repo', Key: `${ref}/parts` };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(at));
    const { ETag } = await client.send(new UploadPartCommand({ ...at, UploadId, PartNumber: 1, Body: 'precious' }));
    const complete = () =>
      client.send(new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } }));
    assert.equal(codeOf(await held.during('completeMultipart', complete, moveRepository)), 'ServiceUnavailable');
    assert.equal(await read(at.Key), 'NoSuchKey');
    assert.equal(codeOf(await complete().catch((error: unknown) => error)), 'NoSuchUpload');
  });

  test(`an object written to ${ref} is refused, and stored when the request is repeated`, async () => {
    const put = () => client.send(new PutObjectCommand({ Bucket: 'repo', Key: `${ref}/put`, Body: 'precious' }));
    assert.equal(codeOf(await held.during('put', put, moveRepository)), 'ServiceUnavailable');
    assert.equal(await read(`${ref}/put`), 'NoSuchKey');
    await put();
    assert.equal(await read(`${ref}/put`), 'precious');
  });
}

test('a copy of bytes is refused, and made when the request is repeated', async () => {
  const copy = () => client.send(new CopyObjectCommand({ Bucket: 'repo', Key: '.tables/copy', CopySource: 'repo/main/source' }));
  assert.equal(codeOf(await held.during('copy', copy, moveRepository)), 'ServiceUnavailable');
  assert.equal(await read('.tables/copy'), 'NoSuchKey');
  await copy();
  assert.equal(await read('.tables/copy'), 'precious');
});

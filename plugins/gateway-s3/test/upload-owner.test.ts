/** Who may complete an upload when the request before died, failed, or lost its answer. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { SrvError, silentLogger } from '@srv/kernel';
import { MemoryKvStore } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import { OwnedUpload, UploadLost } from '../src/server/uploads/owned-upload.js';
import { UploadTracker } from '../src/server/uploads/tracker.js';
import { s3Client } from './support/client.js';
import { createRepository, startServer, storedFiles } from './support/server.js';
import type { TestContext } from 'node:test';
import type { S3Client } from '@aws-sdk/client-s3';
import type { UploadRecord } from '../src/server/uploads/record.js';
import type { TestServer } from './support/server.js';

const record: UploadRecord = {
  uploadId: 'upload',
  path: 'x',
  createdAt: new Date(),
  address: 'data/x',
  metadata: {},
  contentType: '',
  repository: 'repo',
  ref: 'main',
  repositoryUid: 'instance',
  branchUid: '-',
  checksumAlgorithm: '',
  checksumType: '',
};
const repository = { id: 'repo', instanceUid: 'instance', creationDate: new Date() };
const joined = { etag: 'e-1', size: 1, lastModified: new Date(), kept: { a: 'b' } };

describe('ownership', () => {
  /** Two servers on one database. */
  async function trackers(): Promise<[UploadTracker, UploadTracker]> {
    const kv = new MemoryKvStore();
    const options = { log: silentLogger, endAbandoned: async () => false, times: { beat: 10, stale: 100 } };
    const made: [UploadTracker, UploadTracker] = [new UploadTracker(kv, options), new UploadTracker(kv, options)];
    await made[0].create(record);
    return made;
  }
  const owned = (claimed: unknown): OwnedUpload => {
    assert.ok(claimed instanceof OwnedUpload);
    return claimed;
  };

  test('a live owner keeps the upload, and the other gets its answer', async () => {
    const [one, two] = await trackers();
    const first = owned(await one.claim(record, 'list'));
    const second = two.claim(record, 'list');
    const other = two.claim(record, 'another list').catch((error: unknown) => error);
    await first.staging(joined);
    // Longer than an owner without a sign of life is believed in.
    await new Promise(resolve => setTimeout(resolve, 150));
    await first.complete({ etag: 'e-1', at: new Date(), kept: joined.kept });
    const answer = await second;
    assert.ok(!(answer instanceof OwnedUpload));
    assert.deepEqual([answer.etag, answer.kept], ['e-1', joined.kept]);
    assert.match(String(await other), /upload does not exist/);
    await assert.rejects(two.claimAbort(record), { code: 'NoSuchUpload' });
  });

  test('a sweep continues after a record that cannot be removed', async () => {
    const kv = new MemoryKvStore();
    const ended: string[] = [];
    const endAbandoned = async ({ uploadId }: UploadRecord): Promise<boolean> => ended.push(uploadId) > 0;
    const tracker = new UploadTracker(kv, { log: silentLogger, endAbandoned, times: { beat: 10, stale: 100 } });
    for (const uploadId of ['a', 'b', 'c']) await tracker.create({ ...record, uploadId });
    const remove = kv.delete.bind(kv);
    kv.delete = async (partition, key) => {
      if (ended.length === 1) throw new SrvError('unavailable', 'the database is away');
      await remove(partition, key);
    };
    await tracker.sweep();
    assert.equal(ended.length, 3);
  });

  test('a dead owner is followed by a request with the same list, which knows how far it got', async () => {
    const [one, two] = await trackers();
    const dead = owned(await one.claim(record, 'list'));
    await dead.staging(joined);
    dead.close();
    await assert.rejects(two.claim(record, 'another list'), { code: 'NoSuchUpload' });
    const next = owned(await two.claim(record, 'list'));
    assert.deepEqual([next.before?.joined, next.before?.maybeStaged], [joined, true]);
    // It was not dead, only slow: it must not write what the other one writes.
    await assert.rejects(dead.staging(joined), UploadLost);
    await assert.rejects(dead.complete({ etag: 'e-1', at: new Date(), kept: {} }), UploadLost);
    next.close();
    assert.equal((await one.claimAbort(record)).ending?.aborting, true);
    await assert.rejects(next.staging(joined), UploadLost);
    await assert.rejects(one.claim(record, 'list'), { code: 'NoSuchUpload' });
    await one.remove('upload');
    await assert.rejects(two.claimAbort(record), { code: 'NoSuchUpload' });
  });

  test('a refused list leaves the upload to any other; a failure leaves it to the same list, without waiting', async () => {
    const [one, two] = await trackers();
    await owned(await one.claim(record, 'refused')).reopen();
    assert.equal((await two.getGrowing('upload', repository, 'x')).ending, undefined);
    await owned(await two.claim(record, 'list')).leave();
    await assert.rejects(two.getGrowing('upload', repository, 'x'), { code: 'NoSuchUpload' });
    await assert.rejects(one.claim(record, 'refused'), { code: 'NoSuchUpload' });
    owned(await one.claim(record, 'list')).close();
  });
});

describe('completing again', () => {
  let server: TestServer;
  let client: S3Client;
  const Bucket = 'repo';
  before(async () => {
    server = await startServer({}, undefined, [], { '.files': 'files/' });
    client = s3Client(server);
    await createRepository(server, Bucket);
  });
  after(async () => {
    client.destroy();
    await server.stop();
  });

  async function begin(Key: string) {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const { ETag } = await client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: Key }));
    const which = { Bucket, Key, UploadId };
    return { which, complete: { ...which, MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } } };
  }
  const read = async (Key: string) => (await client.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString();

  /** The next staging fails as `fail` says. */
  function failOnce(t: TestContext, fail: (staged: () => Promise<unknown>) => Promise<never>): void {
    const engine = server.kernel.services.get('engine');
    const real = engine.stageEntry.bind(engine);
    const mock = t.mock.method(engine, 'stageEntry', (...given: Parameters<typeof real>) => {
      mock.mock.restore();
      return fail(() => real(...given));
    });
  }

  test('after the entry could not be staged: the joined object waits for the next try', async t => {
    const { complete } = await begin('main/again');
    failOnce(t, async () => {
      throw new SrvError('slow_down', 'busy', { details: { unwritten: true } });
    });
    await assert.rejects(client.send(new CompleteMultipartUploadCommand(complete)), { name: 'SlowDown' });
    await client.send(new CompleteMultipartUploadCommand(complete));
    assert.equal(await read('main/again'), 'main/again');
  });

  test('after a store that could not say what was joined: the next try does not wait for this one', async t => {
    const { which, complete } = await begin('main/unknown');
    failOnce(t, async () => {
      throw new SrvError('slow_down', 'busy', { details: { unwritten: true } });
    });
    await assert.rejects(client.send(new CompleteMultipartUploadCommand(complete)), { name: 'SlowDown' });
    const mock = t.mock.method(server.kernel.services.get('block'), 'exists', () => {
      mock.mock.restore();
      throw new SrvError('unavailable', 'the store is away');
    });
    await assert.rejects(client.send(new CompleteMultipartUploadCommand(complete)), { name: 'ServiceUnavailable' });
    const options = { log: silentLogger, endAbandoned: async () => false, times: { beat: 1000, stale: 3_600_000 } };
    const other = new UploadTracker(server.kernel.services.get('kv'), options);
    const upload = await other.find(which.UploadId ?? '');
    assert.ok(upload?.ending);
    const claimed = await other.claim(upload, upload.ending.list, AbortSignal.timeout(10_000));
    assert.ok(claimed instanceof OwnedUpload);
    await claimed.leave();
    claimed.close();
    await client.send(new CompleteMultipartUploadCommand(complete));
    assert.equal(await read('main/unknown'), 'main/unknown');
  });

  test('after the answer was lost: the entry that is there is the one', async t => {
    const { complete } = await begin('main/lost');
    failOnce(t, async staged => {
      await staged();
      throw new SrvError('unavailable', 'the answer was lost');
    });
    const once = { ...complete, IfNoneMatch: '*' };
    await assert.rejects(client.send(new CompleteMultipartUploadCommand(once)), { name: 'ServiceUnavailable' });
    const done = await client.send(new CompleteMultipartUploadCommand(once));
    assert.equal(await read('main/lost'), 'main/lost');
    // A repeated request has the whole answer, with the checksum.
    const repeated = await client.send(new CompleteMultipartUploadCommand(once));
    assert.deepEqual([repeated.ETag, repeated.ChecksumCRC32, repeated.ChecksumType], [done.ETag, done.ChecksumCRC32, done.ChecksumType]);
    assert.notEqual(done.ChecksumCRC32, undefined);
  });

  test('after the server ended between the move into a folder and its record: the file that is there is the one', async t => {
    const block = server.kernel.services.get('block');
    const remove = block.remove.bind(block);
    const endAfterRemoval = (): void => {
      const mock = t.mock.method(block, 'remove', async (pointer: Parameters<typeof remove>[0]) => {
        mock.mock.restore();
        await remove(pointer);
        throw new SrvError('unavailable', 'the server ends');
      });
    };
    const { complete } = await begin('.files/a');
    endAfterRemoval();
    await assert.rejects(client.send(new CompleteMultipartUploadCommand(complete)), { name: 'ServiceUnavailable' });
    const done = await client.send(new CompleteMultipartUploadCommand(complete));
    assert.equal(await read('.files/a'), '.files/a');
    assert.equal((await client.send(new CompleteMultipartUploadCommand(complete))).ETag, done.ETag);

    // Without the file, the object is lost.
    const lost = await begin('.files/lost');
    endAfterRemoval();
    await assert.rejects(client.send(new CompleteMultipartUploadCommand(lost.complete)), { name: 'ServiceUnavailable' });
    await remove({ namespace: `local://${Bucket}`, identifier: 'files/lost', identifierType: identifierType.relative });
    await assert.rejects(client.send(new CompleteMultipartUploadCommand(lost.complete)), { name: 'NoSuchUpload' });
  });

  /** What a second server does that takes the first one for dead: it stages the same object and answers. */
  async function takeOver(uploadId: string, stage: () => Promise<unknown>): Promise<void> {
    const kv = server.kernel.services.get('kv');
    const options = { log: silentLogger, endAbandoned: async () => false, times: { beat: 1000, stale: 0 } };
    const other = new UploadTracker(kv, options);
    const upload = await other.find(uploadId);
    assert.ok(upload?.ending?.joined);
    const owned = await other.claim(upload, upload.ending.list);
    assert.ok(owned instanceof OwnedUpload);
    await stage();
    await owned.complete({ etag: upload.ending.joined.etag, at: new Date(), kept: upload.ending.joined.kept });
  }

  test('by another server while the first one is stalled: what the other has acknowledged stays', async t => {
    const { which, complete } = await begin('main/stalled');
    const once = { ...complete, IfNoneMatch: '*' };
    failOnce(t, async stage => {
      await takeOver(which.UploadId ?? '', stage);
      await stage();
      throw new Error('the condition cannot hold twice');
    });
    const { ETag } = await client.send(new CompleteMultipartUploadCommand(once));
    assert.equal(await read('main/stalled'), 'main/stalled');
    assert.equal((await client.send(new CompleteMultipartUploadCommand(once))).ETag, ETag);
  });

  test('after the entry was committed and replaced: the commit keeps its object', async t => {
    const { complete } = await begin('main/replaced');
    const once = { ...complete, IfNoneMatch: '*' };
    failOnce(t, async stage => {
      await stage();
      throw new SrvError('unavailable', 'the answer was lost');
    });
    await assert.rejects(client.send(new CompleteMultipartUploadCommand(once)), { name: 'ServiceUnavailable' });
    const commit = await server.kernel.services.get('engine').commit(Bucket, 'main', { committer: 'ann', message: 'kept' });
    await client.send(new PutObjectCommand({ Bucket, Key: 'main/replaced', Body: 'newer' }));
    await assert.rejects(client.send(new CompleteMultipartUploadCommand(once)), { name: 'PreconditionFailed' });
    assert.deepEqual([await read('main/replaced'), await read(`${commit.id}/replaced`)], ['newer', 'main/replaced']);
  });

  test('when the entry cannot be staged ever, nothing is left; an abort removes what waits', async t => {
    const files = storedFiles(server).length;
    const refused = await begin('main/refused');
    failOnce(t, async () => {
      throw new SrvError('protected', 'no', { details: { unwritten: true } });
    });
    await assert.rejects(client.send(new CompleteMultipartUploadCommand(refused.complete)), { name: 'ErrWriteToProtectedBranch' });
    assert.equal(storedFiles(server).length, files);
    await assert.rejects(client.send(new CompleteMultipartUploadCommand(refused.complete)), { name: 'NoSuchUpload' });

    const waiting = await begin('main/waiting');
    failOnce(t, async () => {
      throw new SrvError('slow_down', 'busy', { details: { unwritten: true } });
    });
    await assert.rejects(client.send(new CompleteMultipartUploadCommand(waiting.complete)), { name: 'SlowDown' });
    assert.ok(storedFiles(server).length > files);
    await client.send(new AbortMultipartUploadCommand(waiting.which));
    assert.equal(storedFiles(server).length, files);
    await assert.rejects(client.send(new CompleteMultipartUploadCommand(waiting.complete)), { name: 'NoSuchUpload' });
  });
});

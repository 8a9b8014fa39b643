/** Parts that are written where they belong in the object. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { link, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { seededRandom } from '@srv/kernel/testing';
import { identifierType } from '@srv/lib-stores/block';
import { openLocalBlockStore } from '../src/server/open.js';
import type { TestContext } from 'node:test';
import type { BlockStore, ObjectPointer, UploadedPart } from '@srv/lib-stores/block';

const pointer = (identifier: string): ObjectPointer => ({ namespace: 'local://repo', identifier, identifierType: identifierType.relative });
const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

async function folderOf(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'srv-drafts-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function storeOf(t: TestContext, path: string): Promise<BlockStore> {
  const store = await openLocalBlockStore({ path });
  t.after(() => store.close());
  return store;
}

const send = (store: BlockStore, to: ObjectPointer, id: string, number: number, bytes: Buffer): Promise<{ etag: string }> =>
  store.uploadPart(to, id, number, Readable.from([bytes]), { size: bytes.length });
const read = async (store: BlockStore, from: ObjectPointer): Promise<Buffer> => buffer(await store.get(from));

describe('parts of an upload', () => {
  it('lie in the file of the object from the beginning: completion copies nothing', async t => {
    const path = await folderOf(t);
    const store = await storeOf(t, path);
    const to = pointer('whole');
    const { uploadId } = await store.createMultipart(to);
    const bodies = [300_000, 300_000, 300_000, 1234].map(size => randomBytes(size));
    const parts: UploadedPart[] = [];
    for (const i of [2, 0, 3, 1]) {
      const { etag } = await send(store, to, uploadId, i + 1, bodies[i] ?? assert.fail());
      assert.equal(etag, md5(bodies[i] ?? assert.fail()));
      parts.push({ partNumber: i + 1, etag });
    }
    const draft = await stat(join(path, '.srv-uploads', uploadId, 'draft'));
    const { parts: listed } = await store.listParts(to, uploadId);
    assert.deepEqual(
      listed.map(({ partNumber, size }) => [partNumber, size]),
      bodies.map((body, i) => [i + 1, body.length]),
    );
    const { size } = await store.completeMultipart(
      to,
      uploadId,
      parts.toSorted((a, b) => a.partNumber - b.partNumber),
    );
    assert.equal(size, 901_234);
    const object = await stat(join(path, 'repo', 'whole'));
    assert.equal(object.ino, draft.ino);
    assert.ok(object.mtimeMs >= draft.mtimeMs);
    assert.ok((await read(store, to)).equals(Buffer.concat(bodies)));
    assert.deepEqual(await readdir(join(path, '.srv-uploads')), []);
  });

  it('are copied where the draft is not the object: other sizes, a gap, a part sent again, bytes of a part that broke off', async t => {
    const store = await storeOf(t, await folderOf(t));
    const [a, b, c] = [randomBytes(200_000), randomBytes(200_000), randomBytes(150_000)] as const;
    const larger = randomBytes(250_000);
    const cases: Readonly<Record<string, readonly (readonly [number, Buffer])[]>> = {
      'a short part in the middle': [
        [1, a],
        [2, c],
        [3, b],
      ],
      'a longer part': [
        [1, a],
        [2, larger],
        [3, c],
      ],
      'a gap': [
        [1, a],
        [3, b],
      ],
      'numbers that begin later': [
        [2, a],
        [3, b],
      ],
      'the last part first': [
        [3, c],
        [1, a],
        [2, b],
      ],
      'a part sent again': [
        [1, b],
        [2, b],
        [1, a],
      ],
    };
    for (const [name, sent] of Object.entries(cases)) {
      const to = pointer(`copied/${name}`);
      const { uploadId } = await store.createMultipart(to);
      const latest = new Map<number, Buffer>();
      for (const [number, bytes] of sent) {
        await send(store, to, uploadId, number, bytes);
        latest.set(number, bytes);
      }
      const listed = [...latest].sort(([x], [y]) => x - y);
      await store.completeMultipart(
        to,
        uploadId,
        listed.map(([partNumber, bytes]) => ({ partNumber, etag: md5(bytes) })),
      );
      assert.ok((await read(store, to)).equals(Buffer.concat(listed.map(([, bytes]) => bytes))), name);
    }
    const to = pointer('copied/broken');
    const { uploadId } = await store.createMultipart(to);
    await send(store, to, uploadId, 1, a);
    async function* breaksOff(): AsyncGenerator<Buffer> {
      yield b.subarray(0, 100_000);
      throw new Error('the client has left');
    }
    await assert.rejects(store.uploadPart(to, uploadId, 2, Readable.from(breaksOff()), { size: b.length }), /has left/);
    await store.completeMultipart(to, uploadId, [{ partNumber: 1, etag: md5(a) }]);
    assert.ok((await read(store, to)).equals(a));
  });

  it('that are still on their way when the upload is completed change nothing of the object', async t => {
    const path = await folderOf(t);
    const [store, other] = [await storeOf(t, path), await storeOf(t, path)];
    const to = pointer('late');
    const { uploadId } = await store.createMultipart(to);
    const [a, b, late] = [randomBytes(200_000), randomBytes(200_000), randomBytes(200_000)] as const;
    const etags = [(await send(store, to, uploadId, 1, a)).etag, (await send(store, to, uploadId, 2, b)).etag];
    const slow = new PassThrough();
    slow.write(late.subarray(0, 100_000));
    const sending = other.uploadPart(to, uploadId, 3, slow, { size: late.length }).then(
      () => 'stored',
      (error: unknown) => (isSrvError(error, 'not_found') ? 'gone' : String(error)),
    );
    // Its place has been claimed, and the draft is open.
    while (!(await readdir(join(path, '.srv-uploads', uploadId))).includes('00003.claim')) await new Promise(setImmediate);
    await store.completeMultipart(
      to,
      uploadId,
      etags.map((etag, i) => ({ partNumber: i + 1, etag })),
    );
    slow.end(late.subarray(100_000));
    assert.equal(await sending, 'gone');
    assert.ok((await read(store, to)).equals(Buffer.concat([a, b])));
  });

  it('survive a failed completion and a restart, and are completed then', async t => {
    const path = await folderOf(t);
    const to = pointer('again');
    const first = await openLocalBlockStore({ path });
    const { uploadId } = await first.createMultipart(to);
    const [a, b] = [randomBytes(200_000), randomBytes(100_000)] as const;
    await send(first, to, uploadId, 1, a);
    await assert.rejects(first.completeMultipart(to, uploadId, [{ partNumber: 1, etag: md5(b) }]), error => isSrvError(error, 'invalid'));
    // As if the process had ended after it had sealed the draft, and after it had given the object its name.
    const sealed = join(path, '.srv-uploads', uploadId, 'sealed');
    await rename(join(path, '.srv-uploads', uploadId, 'draft'), sealed);
    await first.close();
    const store = await storeOf(t, path);
    await send(store, to, uploadId, 2, b);
    const parts = [a, b].map((bytes, i) => ({ partNumber: i + 1, etag: md5(bytes) }));
    await store.completeMultipart(to, uploadId, parts);
    assert.ok((await read(store, to)).equals(Buffer.concat([a, b])));
    const once = pointer('once');
    const { uploadId: id } = await store.createMultipart(once);
    await send(store, once, id, 1, a);
    await link(join(path, '.srv-uploads', id, 'draft'), join(path, 'repo', 'once'));
    await store.completeMultipart(once, id, parts.slice(0, 1));
    assert.ok((await read(store, once)).equals(a));
  });

  it('are listed, sent and completed as parts of an unknown upload while it is aborted, and never with another error', async t => {
    const path = await folderOf(t);
    const [store, other] = [await storeOf(t, path), await storeOf(t, path)];
    const bytes = randomBytes(70_000);
    for (let round = 0; round < 40; round++) {
      const to = pointer(`aborted/${round}`);
      const { uploadId } = await store.createMultipart(to);
      const parts: UploadedPart[] = [];
      for (let number = 1; number <= 6; number++)
        parts.push({ partNumber: number, etag: (await send(store, to, uploadId, number, bytes)).etag });
      const kept = (work: Promise<unknown>): Promise<void> =>
        work.then(
          () => undefined,
          (error: unknown) => assert.ok(isSrvError(error, 'not_found', 'invalid'), String(error)),
        );
      const delay = async (turns: number): Promise<void> => {
        for (let i = 0; i < turns; i++) await new Promise(setImmediate);
      };
      await Promise.all([
        delay(round).then(() => store.abortMultipart(to, uploadId)),
        kept(other.listParts(to, uploadId)),
        kept(send(other, to, uploadId, 7, bytes)),
        kept(other.completeMultipart(to, uploadId, [...parts.slice(0, 5), { partNumber: 6, etag: md5(Buffer.from('x')) }])),
      ]);
    }
    assert.deepEqual(await readdir(join(path, '.srv-uploads')), []);
  });

  it('equal a model: any parts, sent in any order and again, broken off, listed, completed, by two servers', async t => {
    const { seed, below, choose } = seededRandom();
    const path = await folderOf(t);
    const stores = [await storeOf(t, path), await storeOf(t, path)];
    const sizes = [1, 70_000, 70_000, 70_000, 70_001, 30_000];
    for (let round = 0; round < 25; round++) {
      const where = `round ${round}, SRV_TEST_SEED=${seed}`;
      const to = pointer(`model/${round}`);
      const { uploadId } = await choose(stores).createMultipart(to);
      const model = new Map<number, Buffer>();
      const usual = choose(sizes);
      for (let step = below(12) + 1; step > 0; step--) {
        // Different parts at once; the same part one time after the other.
        const numbers = new Set(Array.from({ length: below(3) + 1 }, () => below(5) + 1));
        await Promise.all(
          [...numbers].map(async number => {
            const bytes = randomBytes(below(3) > 0 ? usual : choose(sizes));
            if (below(6) === 0) {
              const broken = Readable.from([bytes.subarray(1)]);
              await assert.rejects(choose(stores).uploadPart(to, uploadId, number, broken, { size: bytes.length }), where);
            } else {
              const size = below(8) === 0 ? {} : { size: bytes.length };
              await choose(stores).uploadPart(to, uploadId, number, Readable.from([bytes]), size);
              model.set(number, bytes);
            }
          }),
        );
      }
      const { parts } = await choose(stores).listParts(to, uploadId);
      const known = [...model].sort(([a], [b]) => a - b);
      assert.deepEqual(
        parts.map(({ partNumber, etag, size }) => [partNumber, etag, size]),
        known.map(([number, bytes]) => [number, md5(bytes), bytes.length]),
        where,
      );
      const chosen = below(3) === 0 ? known.filter(() => below(3) > 0) : known;
      if (chosen.length === 0) {
        await choose(stores).abortMultipart(to, uploadId);
        continue;
      }
      const list = chosen.map(([partNumber, bytes]) => ({ partNumber, etag: md5(bytes) }));
      await choose(stores).completeMultipart(to, uploadId, list);
      assert.ok((await read(choose(stores), to)).equals(Buffer.concat(chosen.map(([, bytes]) => bytes))), where);
    }
    assert.deepEqual(await readdir(join(path, '.srv-uploads')), []);
  });
});

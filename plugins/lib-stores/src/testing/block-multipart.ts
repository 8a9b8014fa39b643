/** Multipart cases of the block suite. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rejectsWith } from '@srv/kernel/testing';
import { md5, multipartEtag, newKey, pattern, read, relative, streamOf } from './block-case.js';
import type { ObjectPointer, UploadedPart } from '../block/contract.js';
import type { BlockCase } from './block-case.js';

const smallest = 5 << 20;
/** Times a race is run: the order of two calls is up to chance. */
const rounds = 3;

export function multipartCases(suite: BlockCase): void {
  const { store, options } = suite;
  const partBytes = options.minPartBytes ?? smallest;

  /** Starts an upload and sends `bodies` as parts 1, 2, … */
  async function upload(pointer: ObjectPointer, bodies: readonly Buffer[]): Promise<{ uploadId: string; parts: UploadedPart[] }> {
    const { uploadId } = await store().createMultipart(pointer);
    const parts: UploadedPart[] = [];
    for (const [i, body] of bodies.entries()) {
      const { etag } = await store().uploadPart(pointer, uploadId, i + 1, i % 2 === 0 ? streamOf(body) : body, { size: body.length });
      parts.push({ partNumber: i + 1, etag });
    }
    return { uploadId, parts };
  }

  it('joins parts; the object appears when the upload completes, and replaces what was there', async () => {
    for (const name of ['object', 'nested/deeper/object']) {
      const pointer = relative(suite, newKey(name));
      const bodies = [pattern(partBytes, 1), pattern(partBytes + 1, 2), pattern(77, 3)];
      const { uploadId, parts } = await upload(pointer, bodies);
      assert.equal(await store().exists(pointer), false);
      const { etag, size, lastModified } = await store().completeMultipart(pointer, uploadId, parts);
      assert.ok((await read(store(), pointer)).equals(Buffer.concat(bodies)));
      assert.equal(size, Buffer.concat(bodies).length);
      assert.ok(Math.abs(Date.now() - lastModified.getTime()) < 300_000);
      assert.match(etag, /^[^"]+$/);
      assert.equal((await store().properties(pointer)).size, size);
      if (!options.opaqueEtags) {
        assert.deepEqual(
          parts.map(p => p.etag),
          bodies.map(b => md5(b)),
        );
        assert.equal(etag, multipartEtag(parts.map(p => p.etag)));
      }
      const again = await upload(pointer, [pattern(5)]);
      await store().completeMultipart(pointer, again.uploadId, again.parts);
      assert.deepEqual(await read(store(), pointer), pattern(5));
    }
  });

  it('takes parts in any order, of unknown size, without bytes, and again; joins them by number', async () => {
    const pointer = relative(suite, newKey());
    const { uploadId } = await store().createMultipart(pointer);
    const bodies = new Map([
      [10_000, pattern(10, 3)],
      [7, pattern(partBytes, 2)],
      [2, pattern(partBytes, 1)],
    ]);
    const parts: UploadedPart[] = [];
    await store().uploadPart(pointer, uploadId, 7, pattern(20));
    for (const [partNumber, body] of bodies)
      parts.push({ partNumber, etag: (await store().uploadPart(pointer, uploadId, partNumber, streamOf(body))).etag });
    await store().completeMultipart(pointer, uploadId, parts);
    assert.ok((await read(store(), pointer)).equals(Buffer.concat([...bodies.values()].reverse())));
  });

  it('takes parts at the same time', async () => {
    const pointer = relative(suite, newKey());
    const { uploadId } = await store().createMultipart(pointer);
    const bodies = [1, 2, 3].map(seed => pattern(partBytes, seed));
    const parts = await Promise.all(
      bodies.map(async (body, i) => ({ partNumber: i + 1, ...(await store().uploadPart(pointer, uploadId, i + 1, streamOf(body))) })),
    );
    await store().completeMultipart(pointer, uploadId, parts);
    assert.ok((await read(store(), pointer)).equals(Buffer.concat(bodies)));
  });

  it('leaves out parts that the list leaves out', async () => {
    const pointer = relative(suite, newKey());
    const bodies = [1, 2, 3].map(seed => pattern(partBytes, seed));
    const { uploadId, parts } = await upload(pointer, bodies);
    await store().completeMultipart(
      pointer,
      uploadId,
      parts.filter(p => p.partNumber !== 2),
    );
    assert.ok((await read(store(), pointer)).equals(Buffer.concat([bodies[0] ?? Buffer.alloc(0), bodies[2] ?? Buffer.alloc(0)])));
  });

  it('lists parts in pages', async () => {
    const pointer = relative(suite, newKey());
    const bodies = [10, 20, 30].map(size => pattern(size));
    const { uploadId, parts } = await upload(pointer, bodies);
    const all = await store().listParts(pointer, uploadId);
    assert.deepEqual(
      all.parts.map(({ partNumber, etag, size }) => ({ partNumber, etag, size })),
      parts.map((p, i) => ({ ...p, size: bodies[i]?.length })),
    );
    assert.ok(all.parts.every(p => Math.abs(Date.now() - p.lastModified.getTime()) < 300_000));
    assert.equal(all.isTruncated, false);
    const first = await store().listParts(pointer, uploadId, { maxParts: 2 });
    assert.deepEqual(
      first.parts.map(p => p.partNumber),
      [1, 2],
    );
    assert.equal(first.isTruncated, true);
    assert.equal(first.nextPartNumberMarker, 2);
    const second = await store().listParts(pointer, uploadId, { maxParts: 2, partNumberMarker: 2 });
    assert.deepEqual(
      second.parts.map(p => p.partNumber),
      [3],
    );
    assert.equal(second.isTruncated, false);
    assert.deepEqual((await store().listParts(pointer, uploadId, { partNumberMarker: 3 })).parts, []);
    await store().abortMultipart(pointer, uploadId);
  });

  it('refuses a list with a wrong etag, a part never sent, a part twice, or none; the upload stays usable', async () => {
    const pointer = relative(suite, newKey());
    const { uploadId, parts } = await upload(pointer, [pattern(partBytes), pattern(10)]);
    const [first, second] = parts as [UploadedPart, UploadedPart];
    const wrong: readonly UploadedPart[][] = [
      [{ ...first, etag: md5(Buffer.from('else')) }, second],
      [first, second, { ...second, partNumber: 3 }],
      [first, first],
      [],
    ];
    for (const list of wrong) await rejectsWith(() => store().completeMultipart(pointer, uploadId, list), 'invalid');
    assert.equal(await store().exists(pointer), false);
    await store().completeMultipart(pointer, uploadId, parts);
    assert.equal((await read(store(), pointer)).length, partBytes + 10);
  });

  it('refuses part numbers outside 1 to 10,000 and parts of another size than announced', async () => {
    const pointer = relative(suite, newKey());
    const { uploadId } = await store().createMultipart(pointer);
    for (const partNumber of [0, -1, 10_001, 1.5])
      await rejectsWith(() => store().uploadPart(pointer, uploadId, partNumber, pattern(5)), 'invalid');
    for (const size of [4, 6]) await rejectsWith(() => store().uploadPart(pointer, uploadId, 1, streamOf(pattern(5)), { size }), 'invalid');
    assert.deepEqual((await store().listParts(pointer, uploadId)).parts, []);
    await store().abortMultipart(pointer, uploadId);
  });

  if (!options.joinsReplacedParts)
    it('a part sent again while the upload is completed: the object is what the list says, or the list is refused', async () => {
      for (let round = 0; round < rounds; round++) {
        const pointer = relative(suite, newKey());
        const bodies = [1, 2, 3].map(seed => pattern(partBytes, seed));
        const { uploadId, parts } = await upload(pointer, bodies);
        const [outcome] = await Promise.allSettled([
          store().completeMultipart(pointer, uploadId, parts),
          ...[3, 2].map(number => store().uploadPart(pointer, uploadId, number, pattern(partBytes, 40 + number))),
        ]);
        if (outcome.status === 'rejected') {
          await rejectsWith(() => Promise.reject(outcome.reason as Error), 'invalid');
          assert.equal(await store().exists(pointer), false, 'a refused list leaves no object');
        } else
          assert.ok((await read(store(), pointer)).equals(Buffer.concat(bodies)), 'the object holds other bytes than the parts listed');
      }
    });

  it('two completions at once: the object is what the one that succeeded says', async () => {
    for (let round = 0; round < rounds; round++) {
      const pointer = relative(suite, newKey());
      const bodies = [1, 2].map(seed => pattern(partBytes, seed));
      const { uploadId, parts } = await upload(pointer, bodies);
      const lists = [parts, parts.slice(0, 1)];
      const outcomes = await Promise.allSettled(lists.map(list => store().completeMultipart(pointer, uploadId, list)));
      const stored = await read(store(), pointer);
      for (const [i, outcome] of outcomes.entries()) {
        if (outcome.status === 'rejected') await rejectsWith(() => Promise.reject(outcome.reason as Error), 'not_found');
        else assert.ok(stored.equals(Buffer.concat(bodies.slice(0, 2 - i))), `the object is not what list ${i} says`);
      }
      assert.ok(outcomes.some(({ status }) => status === 'fulfilled'));
    }
  });

  it('completed and aborted at once: one of both is done', async () => {
    for (let round = 0; round < rounds; round++) {
      const pointer = relative(suite, newKey());
      const { uploadId, parts } = await upload(pointer, [pattern(partBytes), pattern(9)]);
      const [completed, aborted] = await Promise.allSettled([
        store().completeMultipart(pointer, uploadId, parts),
        store().abortMultipart(pointer, uploadId),
      ]);
      assert.notEqual(completed.status, aborted.status);
      assert.equal(await store().exists(pointer), completed.status === 'fulfilled');
      for (const outcome of [completed, aborted])
        if (outcome.status === 'rejected') await rejectsWith(() => Promise.reject(outcome.reason as Error), 'not_found');
    }
  });

  it('an unknown, completed or aborted upload is not_found', async () => {
    const pointer = relative(suite, newKey());
    const completed = await upload(pointer, [pattern(5)]);
    await store().completeMultipart(pointer, completed.uploadId, completed.parts);
    const aborted = await upload(pointer, [pattern(5)]);
    await store().abortMultipart(pointer, aborted.uploadId);
    for (const uploadId of [completed.uploadId, aborted.uploadId, '0'.repeat(32)]) {
      await rejectsWith(() => store().uploadPart(pointer, uploadId, 1, pattern(5)), 'not_found');
      await rejectsWith(() => store().listParts(pointer, uploadId), 'not_found');
      await rejectsWith(() => store().completeMultipart(pointer, uploadId, completed.parts), 'not_found');
      await rejectsWith(() => store().abortMultipart(pointer, uploadId), 'not_found');
    }
    assert.deepEqual(await read(store(), pointer), pattern(5), 'the completed object stays');
  });

  it('an aborted upload leaves nothing, or what was there', async () => {
    const pointer = relative(suite, newKey());
    const { uploadId } = await upload(pointer, [pattern(5)]);
    await store().abortMultipart(pointer, uploadId);
    assert.equal(await store().exists(pointer), false);
  });

  it('keeps uploads of one key apart', async () => {
    const pointer = relative(suite, newKey());
    const [one, two] = [await upload(pointer, [pattern(5, 1)]), await upload(pointer, [pattern(5, 2)])];
    await store().completeMultipart(pointer, two.uploadId, two.parts);
    assert.deepEqual(await read(store(), pointer), pattern(5, 2));
    await store().completeMultipart(pointer, one.uploadId, one.parts);
    assert.deepEqual(await read(store(), pointer), pattern(5, 1));
  });

  it('copies an object, and ranges of it, as parts', async () => {
    const [source, pointer] = [relative(suite, newKey('source')), relative(suite, newKey('joined'))];
    const content = pattern(2 * partBytes + 1000);
    await store().put(source, content, { size: content.length });
    const { uploadId } = await store().createMultipart(pointer);
    const ranges = [
      undefined,
      { start: 0, end: partBytes },
      { start: partBytes + 1, end: 2 * partBytes },
      { start: 2 * partBytes + 1, end: 3 * partBytes },
    ];
    const parts: UploadedPart[] = [];
    for (const [i, range] of ranges.entries()) {
      const { etag, lastModified } = await store().copyPart(source, pointer, uploadId, i + 1, range);
      assert.ok(Math.abs(Date.now() - lastModified.getTime()) < 300_000);
      parts.push({ partNumber: i + 1, etag });
    }
    await rejectsWith(() => store().copyPart(relative(suite, newKey()), pointer, uploadId, 9), 'no_data');
    await rejectsWith(() => store().copyPart(source, pointer, '0'.repeat(32), 9), 'not_found');
    await store().completeMultipart(pointer, uploadId, parts);
    assert.ok((await read(store(), pointer)).equals(Buffer.concat([content, content])));
  });
}

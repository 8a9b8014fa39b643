/** Contents of small objects that are kept in memory, under everything that may happen to the objects. */
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { seededRandom } from '@srv/kernel/testing';
import { ReadyStream, identifierType } from '@srv/lib-stores/block';
import { SmallContents } from '../../src/objects/small-contents.js';
import { newRepository, openEngine } from './fixture.js';
import type { Entry } from '../../src/contract.js';

const pointer = { namespace: 'mem://bucket/repo', identifier: 'data/a/b', identifierType: identifierType.relative };
const entry = (over: Partial<Entry> = {}): Entry => ({
  path: 'a',
  address: 'data/a/b',
  addressType: identifierType.relative,
  physicalAddress: 'mem://bucket/repo/data/a/b',
  size: 3,
  etag: 'e',
  lastModified: new Date(0),
  contentType: 'text/plain',
  metadata: {},
  ...over,
});

/** Reads it as often as it takes to be kept. */
function keep(contents: SmallContents, at: typeof pointer, e: Entry, body: Buffer): void {
  for (let reads = 0; reads < 2; reads++) contents.keep(at, e, new ReadyStream(body));
}

describe('small contents', () => {
  it('are those of one address with one tag and size, whole or in part', async () => {
    const contents = new SmallContents();
    keep(contents, pointer, entry(), Buffer.from('abc'));
    const found = (e: Entry, range?: { start: number; end: number }, at = pointer) => contents.read(at, e, range);
    assert.equal(String(await buffer(found(entry()) ?? assert.fail('kept'))), 'abc');
    assert.equal(String(await buffer(found(entry(), { start: 1, end: 1 }) ?? assert.fail('kept'))), 'b');
    assert.equal(found(entry({ etag: 'f' })), undefined);
    assert.equal(found(entry({ size: 4 })), undefined);
    assert.equal(found(entry(), undefined, { ...pointer, namespace: 'mem://bucket/other' }), undefined);
  });

  it('are not kept of addresses outside, of large objects, or of a store that streams', () => {
    const contents = new SmallContents();
    const outside = entry({ addressType: identifierType.full });
    keep(contents, pointer, outside, Buffer.from('abc'));
    assert.equal(contents.read(pointer, outside, undefined), undefined);
    const large = entry({ size: 20_000 });
    keep(contents, pointer, large, Buffer.alloc(20_000));
    assert.equal(contents.read(pointer, large, undefined), undefined);
  });

  it('are not kept of what is read once', () => {
    const contents = new SmallContents();
    contents.keep(pointer, entry(), new ReadyStream(Buffer.from('abc')));
    assert.equal(contents.read(pointer, entry(), undefined), undefined);
  });

  it('beyond maxKeptBytes: those read long ago are read again', () => {
    const contents = new SmallContents();
    const name = (i: number) => ({ ...pointer, identifier: `data/a/${i}` });
    const large = entry({ size: 16_384 });
    for (let i = 0; i < 1100; i++) keep(contents, name(i), large, Buffer.alloc(16_384));
    const isKept = (i: number): boolean => contents.read(name(i), large, undefined) !== undefined;
    const kept = Array.from({ length: 1100 }, (_, i) => 1099 - i).filter(isKept);
    // 16 MiB, of which each takes its bytes and 512 more.
    assert.ok(kept.length >= 496 && kept.length <= 992, `${kept.length} are kept`);
    assert.equal(kept[0], 1099);
  });

  it('do not hold the memory of the batch they came in', async () => {
    const contents = new SmallContents();
    const batch = Buffer.alloc(1000, 'x');
    keep(contents, pointer, entry(), batch.subarray(0, 3));
    batch.fill('y');
    assert.equal(String(await buffer(contents.read(pointer, entry(), undefined) ?? assert.fail('kept'))), 'xxx');
  });
});

describe('reads of small objects', () => {
  it('equal a model under overwriting, copying, deletion, resets and lost data', async t => {
    const { seed, below } = seededRandom();
    const int = (least: number, most: number): number => least + below(most - least + 1);
    const { engine, kernel } = await openEngine(t);
    const id = await newRepository(engine);
    const block = kernel.services.get('block');
    const model = new Map<string, string>();
    /** Entries that were deleted or overwritten: who still has one may read it as long as its bytes are there. */
    const old: { readonly entry: Entry; readonly content: string }[] = [];
    const remember = async (path: string): Promise<void> => {
      const content = model.get(path);
      if (content !== undefined) old.push({ entry: await engine.getEntry(id, 'main', path), content });
    };
    const read = async (found: Entry, range?: { start: number; end: number }): Promise<string> =>
      String(await buffer(await engine.open(id, found, range ? { range } : {})));
    for (let step = 0; step < 400; step++) {
      const where = `step ${step}, SRV_TEST_SEED=${seed}`;
      const [path, other] = [`o${int(0, 5)}`, `o${int(0, 5)}`];
      const content = model.get(path);
      const kind = int(0, 5);
      if (kind === 0) {
        await remember(path);
        const next = `${step}`.repeat(int(1, 2000));
        await engine.putObject(id, 'main', path, Buffer.from(next));
        model.set(path, next);
      } else if (kind === 1 && content !== undefined) {
        await remember(path);
        await engine.deleteObject(id, 'main', path);
        model.delete(path);
      } else if (kind === 2 && content !== undefined) {
        await remember(other);
        await engine.copyObject(id, { ref: 'main', path }, { branch: 'main', path: other });
        model.set(other, content);
      } else if (kind === 3 && old.length > 0) {
        const { entry: gone, content: was } = old[int(0, old.length - 1)] ?? assert.fail();
        assert.equal(await read(gone), was, where);
      } else if (content === undefined) {
        await assert.rejects(engine.getEntry(id, 'main', path), error => isSrvError(error, 'not_found'), where);
      } else {
        const found = await engine.getEntry(id, 'main', path);
        assert.equal(await read(found), content, where);
        const start = int(0, content.length - 1);
        const end = int(start, content.length - 1);
        assert.equal(await read(found, { start, end }), content.slice(start, end + 1), where);
      }
    }
    await engine.putObject(id, 'main', 'lost', Buffer.from('never read'));
    const lost = await engine.getEntry(id, 'main', 'lost');
    await block.remove({ namespace: `mem://bucket/${id}`, identifier: lost.address, identifierType: lost.addressType });
    await assert.rejects(engine.open(id, lost), error => isSrvError(error, 'no_data'));
  });
});

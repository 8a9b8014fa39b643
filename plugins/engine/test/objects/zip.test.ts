import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { mostMembers, zipOf } from '../../src/objects/archive/zip.js';

const modified = new Date(0);

describe('an archive of objects', () => {
  it('has the length that was promised', async () => {
    const texts = ['', 'a', 'b'.repeat(100_000)];
    const objects = texts.map((text, i) => ({
      name: `f${i}/é`,
      size: text.length,
      modified,
      open: async () => Readable.from([Buffer.from(text)]),
    }));
    const { body, size } = await zipOf(objects);
    assert.equal(Buffer.concat(await body.toArray()).length, size);
  });

  it('has the length that was promised, and as many members, whatever the list of its members takes', async () => {
    const lists = [
      [1, 30],
      [655, 7],
      [650, 45],
      [655, 45],
      [660, 45],
      [900, 16],
      [1200, 16],
      [320, 200],
      [mostMembers, 10],
    ] as const;
    for (const [count, length] of lists) {
      const objects = Array.from({ length: count }, (_, i) => ({
        name: `${i}`.padStart(length, 'é'.repeat(3)),
        size: i % 3,
        modified,
        open: async () => Readable.from([Buffer.alloc(i % 3)]),
      }));
      const { body, size } = await zipOf(objects);
      const bytes = Buffer.concat(await body.toArray());
      assert.equal(bytes.length, size, `${count} names of ${length} characters`);
      const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
      const large = bytes.lastIndexOf(Buffer.from('PK\x06\x06', 'latin1'));
      assert.equal(large < 0 ? bytes.readUInt16LE(end + 10) : Number(bytes.readBigUInt64LE(large + 32)), count);
    }
  });

  it('stops reading when its reader leaves, and opens no further object', async () => {
    const endless = new PassThrough();
    let opened = 0;
    const open = async () => {
      opened++;
      return endless;
    };
    const { body } = await zipOf([1, 2, 3].map(n => ({ name: `${n}`, size: 1 << 30, modified, open })));
    endless.write('x');
    await once(body, 'readable');
    body.destroy();
    await once(endless, 'close');
    assert.equal(opened, 1);
  });

  it('opens nothing but the first object before it is read', async () => {
    let opened = 0;
    const open = async () => {
      opened++;
      return Readable.from([Buffer.from('x')]);
    };
    const { body } = await zipOf([1, 2, 3].map(n => ({ name: `${n}`, size: 1, modified, open })));
    await setTimeout(20);
    assert.equal(opened, 1);
    body.destroy();
    const gone = Promise.reject(new Error('is gone'));
    await assert.rejects(zipOf([{ name: 'x', size: 3, modified, open: () => gone }]), /is gone/);
  });

  it('whose first object breaks off before anything is read fails when it is read', async () => {
    const first = new PassThrough();
    const { body } = await zipOf([{ name: 'x', size: 3, modified, open: async () => first }]);
    first.destroy(new Error('breaks off early'));
    await setTimeout(20);
    await assert.rejects(body.toArray(), /breaks off early/);
  });

  it('fails when an object cannot be opened, breaks off, or has another length', async () => {
    const broken = (): Readable =>
      new Readable({
        read: function (this: Readable) {
          this.destroy(new Error('breaks off'));
        },
      });
    const cases: readonly (readonly [() => Promise<Readable>, RegExp])[] = [
      [() => Promise.reject(new Error('is gone')), /is gone/],
      [async () => broken(), /breaks off/],
      [async () => Readable.from([Buffer.from('too long')]), /unexpected number of bytes/],
    ];
    for (const [open, message] of cases) {
      const before = { name: 'a', size: 1, modified, open: async () => Readable.from([Buffer.from('a')]) };
      const { body } = await zipOf([before, { name: 'x', size: 3, modified, open }]);
      // A reader may take its time.
      await setTimeout(20);
      await assert.rejects(body.toArray(), message);
    }
  });
});

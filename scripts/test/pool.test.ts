import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '@srv/kernel/testing';
import { inPool } from '../test-runner/pool.js';
import { roomMeter } from '../test-runner/room.js';

/** Items that are worked on until they are let go. */
class Work {
  readonly begun: number[] = [];
  readonly #ends = new Map<number, () => void>();
  most = 0;

  readonly do = (item: number): Promise<void> => {
    this.begun.push(item);
    return new Promise(end => {
      this.#ends.set(item, end);
      this.most = Math.max(this.most, this.#ends.size);
    });
  };

  get running(): number[] {
    return [...this.#ends.keys()];
  }

  end(item: number): void {
    this.#ends.get(item)?.();
    this.#ends.delete(item);
  }

  async endAll(count: number): Promise<void> {
    for (let item = 0; item < count; item++) {
      await until(() => this.running.includes(item));
      this.end(item);
    }
  }
}

const items = [0, 1, 2, 3, 4, 5, 6];

describe('a pool', () => {
  it('works on every item in order, no more than the limit at a time', async () => {
    const work = new Work();
    const done = inPool(items, { limit: 2 }, work.do);
    await work.endAll(items.length);
    await done;
    assert.deepEqual([work.begun, work.most], [items, 2]);
  });

  it('begins further items while there is room, and goes back to the limit', async () => {
    const work = new Work();
    let hasRoom = true;
    const done = inPool(items, { limit: 2, most: 4, hasRoom: () => hasRoom, askMs: 1 }, work.do);
    await until(() => work.running.length === 4);
    hasRoom = false;
    for (const item of [0, 1]) work.end(item);
    await until(() => work.running.length === 2);
    work.end(2);
    await until(() => work.begun.length === 5);
    assert.deepEqual(work.running, [3, 4]);
    for (const item of [3, 4, 5, 6]) {
      await until(() => work.running.includes(item));
      work.end(item);
    }
    await done;
    assert.deepEqual([work.begun, work.most], [items, 4]);
  });

  it('awaits what began beyond the limit, and fails with its error', async () => {
    const fails = async (item: number): Promise<void> => {
      if (item === 1) throw new Error('no');
      await until(() => hasFailed);
    };
    let hasFailed = false;
    const done = inPool([0, 1], { limit: 1, most: 2, hasRoom: () => true, askMs: 1 }, item =>
      fails(item).finally(() => {
        hasFailed = true;
      }),
    );
    await assert.rejects(done, /^Error: no$/);
  });
});

describe('the machine has room', () => {
  const gibibyte = 1024 ** 3;

  it('when processors were idle since the last question, and memory is left', () => {
    const times = [
      { idle: 0, all: 0 },
      { idle: 1000, all: 1000 },
      { idle: 1000, all: 2000 },
      { idle: 2000, all: 3000 },
      { idle: 2000, all: 3000 },
    ];
    let free = 8 * gibibyte;
    const hasRoom = roomMeter(
      () => times.shift() ?? assert.fail('asked once more'),
      () => free,
    );
    assert.deepEqual([hasRoom(), hasRoom()], [true, false]);
    free = gibibyte;
    assert.deepEqual([hasRoom(), hasRoom()], [false, false]);
  });
});

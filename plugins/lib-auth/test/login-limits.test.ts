import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { messageOf } from '@srv/kernel';
import { LoginLimits } from '../src/login-limits.js';

function setUp() {
  const clock = { now: 1_000_000 };
  const limits = new LoginLimits(() => clock.now);
  const refused = (name: string, from?: string): boolean => {
    try {
      limits.check(name, from);
      return false;
    } catch (error) {
      assert.match(String(error), /try again in \d+ s/);
      return true;
    }
  };
  const fail = (times: number, name: (n: number) => string, from?: (n: number) => string): void => {
    for (let n = 0; n < times; n++) limits.failed(name(n), from?.(n));
  };
  return { clock, limits, refused, fail };
}

describe('limits of login attempts', () => {
  it('make each failure after the first few wait longer, up to a minute', () => {
    const { clock, limits, refused } = setUp();
    const waits: number[] = [];
    for (let n = 0; n < 14; n++) {
      limits.failed('ann', '192.0.2.1');
      const before = clock.now;
      while (refused('ann', '192.0.2.1')) clock.now += 500;
      waits.push(clock.now - before);
    }
    assert.deepEqual(waits, [0, 0, 0, 0, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000, 60_000]);
  });

  it('leave other names and other addresses alone', () => {
    const { refused, fail } = setUp();
    fail(
      8,
      () => 'ann',
      () => '192.0.2.1',
    );
    assert.deepEqual([refused('ann', '192.0.2.1'), refused('bob', '192.0.2.1'), refused('ann', '192.0.2.2')], [true, false, false]);
  });

  it('count the spellings of a name as one', () => {
    const { refused, fail } = setUp();
    const spellings = ['ann@example.com', ' Ann@example.com', 'ANN@EXAMPLE.COM ', 'ａnn@example.com', 'ann@Example.com'];
    fail(
      20,
      n => spellings[n % spellings.length] ?? '',
      n => `192.0.2.${n}`,
    );
    assert.deepEqual(
      [...spellings, 'bob@example.com'].map(name => refused(name, '198.51.100.1')),
      [true, true, true, true, true, false],
    );
  });

  it('stop an address that tries many names', () => {
    const { refused, fail } = setUp();
    fail(
      60,
      n => `name ${n}`,
      () => '192.0.2.1',
    );
    assert.deepEqual([refused('fresh', '192.0.2.1'), refused('fresh', '192.0.2.2')], [true, false]);
  });

  it('beyond mostRemembered: made-up names push out the oldest, the address that tries them stays stopped', () => {
    const { refused, fail } = setUp();
    fail(25, () => 'ann');
    assert.equal(refused('ann'), true);
    fail(
      20_000,
      n => `name ${n}`,
      () => '192.0.2.1',
    );
    assert.deepEqual([refused('ann'), refused('fresh', '192.0.2.1')], [false, true]);
  });

  it('stop a name that many addresses try, and one without an address', () => {
    const { refused, fail } = setUp();
    fail(
      25,
      () => 'ann',
      n => `192.0.2.${n}`,
    );
    fail(25, () => 'bob');
    assert.deepEqual([refused('ann', '198.51.100.1'), refused('bob'), refused('cleo')], [true, true, false]);
  });

  it('forget the failures of a name once its owner came in, not those of an address', () => {
    const { clock, limits, refused, fail } = setUp();
    fail(
      7,
      () => 'ann',
      () => '192.0.2.1',
    );
    clock.now += 60_000;
    limits.succeeded('ann', '192.0.2.1');
    limits.failed('ann', '192.0.2.1');
    assert.equal(refused('ann', '192.0.2.1'), false);
    fail(
      45,
      n => `name ${n}`,
      () => '192.0.2.1',
    );
    assert.equal(refused('ann', '192.0.2.1'), true);
  });

  it('forget the failures of an address that many users share, although more follow', () => {
    const { clock, limits, refused } = setUp();
    const minute = 60_000;
    const from = '192.0.2.1';
    for (let n = 0; n < 40 * 24; n++) {
      limits.failed(`name ${n}`, from);
      clock.now += (15 * minute) / 40;
      assert.equal(refused('fresh', from), false, `${n + 1} failures`);
    }
  });

  it('stay as long for an attacker who never pauses', () => {
    const { clock, limits, refused } = setUp();
    const waits: number[] = [];
    for (let n = 0; n < 200; n++) {
      limits.failed('ann', '192.0.2.1');
      const before = clock.now;
      while (refused('ann', '192.0.2.1')) clock.now += 1000;
      waits.push(clock.now - before);
    }
    assert.deepEqual(new Set(waits.slice(12)), new Set([60_000]));
  });

  it('count all failures of the last minutes, whenever they began', () => {
    const { clock, refused, fail } = setUp();
    const from = () => '192.0.2.1';
    fail(1, () => 'early', from);
    clock.now += 15 * 60_000 - 1000;
    fail(60, n => `name ${n}`, from);
    clock.now += 2000;
    assert.equal(refused('fresh', from()), true);
    clock.now += 15 * 60_000;
    assert.equal(refused('fresh', from()), false);
    fail(49, n => `later ${n}`, from);
    assert.equal(refused('fresh', from()), false);
  });

  it('count parallel attempts like those one after the other', async () => {
    const { limits, clock } = setUp();
    const made: number[] = [];
    const atOnce = (amount: number, from: (n: number) => string) =>
      Promise.allSettled(
        Array.from({ length: amount }, (_, n) =>
          limits.attempt('ann', from(n), async () => {
            made.push(n);
            await turn();
            return undefined;
          }),
        ),
      );
    await atOnce(1000, () => '192.0.2.1');
    assert.deepEqual(made.splice(0), [0, 1, 2, 3, 4]);
    clock.now += 1000;
    await atOnce(1000, () => '192.0.2.1');
    assert.deepEqual(made.splice(0), [0]);
    clock.now += 60_000;
    await atOnce(1000, n => `198.51.100.${n}`);
    assert.equal(made.length, 20 - 6);
  });

  it('refuse no parallel attempt that succeeds or that a fault ends', async () => {
    const { limits } = setUp();
    const atOnce = (work: () => Promise<boolean>) =>
      Promise.allSettled(
        Array.from({ length: 200 }, () =>
          limits.attempt('ann', '192.0.2.1', async () => {
            await turn();
            return work();
          }),
        ),
      );
    const right = await atOnce(() => Promise.resolve(true));
    assert.ok(right.every(({ status }) => status === 'fulfilled'));
    const faults = await atOnce(() => Promise.reject(new Error('no connection')));
    assert.ok(faults.every(result => result.status === 'rejected' && messageOf(result.reason) === 'no connection'));
    limits.check('ann', '192.0.2.1');
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HeldBodies } from '../../src/http/held-bodies.js';

const kibibyte = 1 << 10;
/** Lets promises that are settled call their continuations. */
const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

describe('bodies that are held', () => {
  it('beyond limit: never have more bytes, come in turn, and all get their turn', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 17, max: 150 }), fc.boolean()), { minLength: 1, maxLength: 30 }),
        async (steps: readonly (readonly [number, boolean])[]) => {
          const bodies = new HeldBodies({ limit: 100 * kibibyte, waitMs: 60_000 });
          const releases: (() => void)[] = [];
          const entered: number[] = [];
          let most = 0;
          for (const [i, [size, ends]] of steps.entries()) {
            void bodies.hold(size * kibibyte).then(release => {
              entered.push(i);
              releases.push(release ?? assert.fail());
            });
            await settle();
            if (ends) releases.shift()?.();
            await settle();
            const isAlone = releases.length <= 1;
            if (!isAlone) most = Math.max(most, bodies.held);
          }
          while (releases.length > 0) {
            releases.shift()?.();
            await settle();
          }
          assert.ok(most <= 100 * kibibyte, `${most} bytes`);
          assert.deepEqual(
            entered,
            steps.map((_, i) => i),
          );
          assert.equal(bodies.held, 0);
        },
      ),
    );
  });

  it('are refused when others take too long, which lets those after them in', async () => {
    const bodies = new HeldBodies({ limit: 100 * kibibyte, waitMs: 20 });
    const release = (await bodies.hold(60 * kibibyte)) ?? assert.fail();
    await assert.rejects(bodies.hold(90 * kibibyte), { code: 'slow_down' });
    const second = await bodies.hold(40 * kibibyte);
    release();
    release();
    assert.equal(bodies.held, 40 * kibibyte, 'a hold ends once');
    second?.();
  });

  it('do not count when they are small', async () => {
    const bodies = new HeldBodies({ limit: 1, waitMs: 0 });
    assert.equal(await bodies.hold(16 * kibibyte), undefined);
    assert.equal(bodies.held, 0);
  });
});

import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { HeldBodies } from '../../src/http/held-bodies.js';
import { readBody } from '../../src/http/read-body.js';

const kibibyte = 1 << 10;
/** One that does not leave. */
const caller = (): Readable => new Readable({ read() {} });
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
            void bodies.hold(caller(), size * kibibyte).then(release => {
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
    const release = (await bodies.hold(caller(), 60 * kibibyte)) ?? assert.fail();
    await assert.rejects(bodies.hold(caller(), 90 * kibibyte), { code: 'slow_down' });
    const second = await bodies.hold(caller(), 40 * kibibyte);
    release();
    release();
    assert.equal(bodies.held, 40 * kibibyte, 'a hold ends once');
    second?.();
  });

  it('leave the queue with their callers, which lets those after them in', async () => {
    const bodies = new HeldBodies({ limit: 100 * kibibyte, waitMs: 60_000 });
    const release = (await bodies.hold(caller(), 60 * kibibyte)) ?? assert.fail();
    const leaving = caller();
    const [waiting, next] = [bodies.hold(leaving, 90 * kibibyte), bodies.hold(caller(), 40 * kibibyte)];
    leaving.destroy();
    await assert.rejects(waiting, { code: 'cancelled' });
    const last = (await next) ?? assert.fail();
    assert.equal(bodies.held, 100 * kibibyte);
    await assert.rejects(bodies.hold(leaving, 20 * kibibyte), { code: 'cancelled' }, 'one who has left before');
    release();
    last();
    assert.equal(bodies.held, 0);
  });

  it('of a caller who leaves when it is their turn are released', async () => {
    const bodies = new HeldBodies({ limit: 100 * kibibyte, waitMs: 60_000 });
    const release = (await bodies.hold(caller(), 60 * kibibyte)) ?? assert.fail();
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const waiting = bodies.holdFor(response, 90 * kibibyte);
    release();
    response.destroy();
    await assert.rejects(waiting, { code: 'cancelled' });
    assert.equal(bodies.held, 0);
  });

  it('do not count when they are small', async () => {
    const bodies = new HeldBodies({ limit: 1, waitMs: 0 });
    assert.equal(await bodies.hold(caller(), 16 * kibibyte), undefined);
    assert.equal(bodies.held, 0);
  });
});

it('a body whose sender left before it is read fails at once', async () => {
  const request = new IncomingMessage(new Socket());
  request.destroy();
  const unexpected = (): Error => assert.fail();
  await assert.rejects(readBody(request, { limit: 100, tooLarge: unexpected, tooSlow: unexpected }), { code: 'cancelled' });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Slots } from '../src/server/slots.js';

const never = new AbortController().signal;
/** Lets promises that are settled call their continuations. */
const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Names of the repositories whose scripts have entered, in order. */
function entering(slots: Slots) {
  const entered: string[] = [];
  return { entered, enter: (name: string, signal = never) => slots.enter(name, signal).then(() => void entered.push(name)) };
}

describe('slots', () => {
  it('one repository takes its share, others come in beyond the limit, once each', async () => {
    const slots = new Slots({ threads: 3, perRepository: 2, reserve: 1 });
    const { entered, enter } = entering(slots);
    for (const name of ['a', 'a', 'a', 'b', 'b', 'c', 'd']) void enter(name).catch(() => undefined);
    await settle();
    // Three slots, and one more for a repository without any.
    assert.deepEqual(entered, ['a', 'a', 'b', 'c']);
    slots.leave('a');
    await settle();
    assert.deepEqual(entered.slice(4), ['d'], 'a repository without scripts comes first');
    slots.leave('a');
    slots.leave('c');
    await settle();
    assert.deepEqual(entered.slice(5), ['a'], 'then the longest wait');
  });

  it('never exceed the limits, and no script waits while a slot is free', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.boolean()), { maxLength: 40 }),
        async (steps: readonly (readonly [string, boolean])[]) => {
          const limits = { threads: 3, perRepository: 2, reserve: 1 };
          const slots = new Slots(limits);
          const { entered, enter } = entering(slots);
          const running: string[] = [];
          const asked: string[] = [];
          for (const [name, leaves] of steps) {
            const last = leaves ? running.lastIndexOf(name) : -1;
            if (last >= 0) {
              running.splice(last, 1);
              slots.leave(name);
            } else {
              asked.push(name);
              void enter(name);
            }
            await settle();
            for (const fresh of entered.splice(0)) {
              running.push(fresh);
              asked.splice(asked.indexOf(fresh), 1);
            }
            const count = (wanted: string): number => running.filter(other => other === wanted).length;
            assert.ok(running.length <= limits.threads + limits.reserve);
            for (const other of running) assert.ok(count(other) <= limits.perRepository);
            for (const waiting of asked)
              assert.ok(
                count(waiting) === limits.perRepository || running.length >= limits.threads + (count(waiting) === 0 ? limits.reserve : 0),
                `${waiting} waits while ${running.join()} run`,
              );
          }
        },
      ),
    );
  });

  it('an aborted script leaves the queue', async () => {
    const slots = new Slots({ threads: 1, perRepository: 1, reserve: 0 });
    const { entered, enter } = entering(slots);
    const stop = new AbortController();
    await enter('a');
    const second = enter('a', stop.signal);
    void enter('b');
    stop.abort();
    await assert.rejects(second, /was not started/);
    slots.leave('a');
    await settle();
    assert.deepEqual(entered, ['a', 'b']);
    await assert.rejects(enter('b', stop.signal), /was not started/);
  });
});

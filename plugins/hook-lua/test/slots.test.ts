import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Slots } from '../src/server/slots.js';
import type { Slot } from '../src/server/slot.js';

const never = new AbortController().signal;
/** Lets promises that are settled call their continuations. */
const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Names of the repositories whose scripts have entered, in order. */
function entering(slots: Slots) {
  const entered: string[] = [];
  const held: [name: string, slot: Slot][] = [];
  const enter = async (name: string, signal = never): Promise<void> => {
    held.push([name, await slots.enter(name, { signal, waitMs: 600_000 })]);
    entered.push(name);
  };
  /** Ends the latest script of a repository. */
  const leave = (name: string): void => {
    const at = held.findLastIndex(([other]) => other === name);
    held.splice(at, 1)[0]?.[1].end();
  };
  return { entered, enter, leave };
}

describe('slots', () => {
  it('one repository takes its share, others come in beyond the limit, once each', async () => {
    const slots = new Slots({ threads: 3, perRepository: 2, reserve: 1 });
    const { entered, enter, leave } = entering(slots);
    for (const name of ['a', 'a', 'a', 'b', 'b', 'c', 'd']) void enter(name).catch(() => undefined);
    await settle();
    // Three slots, and one more for a repository without any.
    assert.deepEqual(entered, ['a', 'a', 'b', 'c']);
    leave('a');
    await settle();
    assert.deepEqual(entered.slice(4), ['d'], 'a repository without scripts comes first');
    leave('a');
    leave('c');
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
          const { entered, enter, leave } = entering(slots);
          const running: string[] = [];
          const asked: string[] = [];
          for (const [name, leaves] of steps) {
            const last = leaves ? running.lastIndexOf(name) : -1;
            if (last >= 0) {
              running.splice(last, 1);
              leave(name);
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
    const { entered, enter, leave } = entering(slots);
    const stop = new AbortController();
    await enter('a');
    const second = enter('a', stop.signal);
    void enter('b');
    stop.abort();
    await assert.rejects(second, /was not started/);
    leave('a');
    await settle();
    assert.deepEqual(entered, ['a', 'b']);
    await assert.rejects(enter('b', stop.signal), /was not started/);
  });

  it('a script that ends outside of its slot gives the slot back once', async () => {
    const slots = new Slots({ threads: 2, perRepository: 2, reserve: 0 });
    let answer: (() => void) | undefined;
    const answered = new Promise<void>(resolve => {
      answer = resolve;
    });
    const both = await Promise.all([1, 2].map(() => slots.enter('a', { signal: never, waitMs: 600_000 })));
    const calls = both.map(slot => slot.outside(() => answered));
    for (const slot of both) slot.end();
    answer?.();
    await Promise.all(calls);
    const { entered, enter } = entering(slots);
    for (const name of ['a', 'a', 'a']) void enter(name);
    await settle();
    assert.deepEqual(entered, ['a', 'a'], 'all slots are free again, and no more than that');
  });
});

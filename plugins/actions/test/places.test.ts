import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Places } from '../src/server/places.js';

/** Lets promises that are settled call their continuations. */
const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Runs of repositories, in the order in which they have begun. */
function runsIn(places: Places) {
  const begun: string[] = [];
  const ends: [repository: string, end: () => void][] = [];
  const begin = async (repository: string): Promise<void> => {
    const end = await places.take(repository);
    begun.push(repository);
    ends.push([repository, end]);
  };
  /** Ends the first run of a repository. */
  const end = async (repository: string): Promise<void> => {
    const at = ends.findIndex(([other]) => other === repository);
    for (const [, giveBack] of ends.splice(at, 1)) giveBack();
    await settle();
  };
  return { begun, begin, end };
}

describe('places of hooks that nothing waits for', () => {
  it('a repository that takes all of them keeps none from another', async () => {
    const { begun, begin, end } = runsIn(new Places(2));
    for (const repository of ['full', 'full', 'full', 'full', 'other', 'other']) void begin(repository);
    await settle();
    assert.deepEqual(begun.splice(0), ['full', 'full', 'other']);
    await end('full');
    assert.deepEqual(begun, [], 'the place was one more than there are');
    await end('full');
    assert.deepEqual(begun.splice(0), ['full'], 'of those that wait, the one with the fewest runs');
    await end('other');
    assert.deepEqual(begun.splice(0), ['other']);
  });

  it('repositories with equally many runs take turns', async () => {
    const { begun, begin, end } = runsIn(new Places(2));
    for (const repository of ['a', 'b', 'a', 'a', 'b', 'b']) void begin(repository);
    await settle();
    await end('a');
    await end('b');
    await end('a');
    await end('b');
    assert.deepEqual(begun, ['a', 'b', 'a', 'b', 'a', 'b']);
  });

  it('a place that is given back twice is given back once', async () => {
    const places = new Places(1);
    const giveBack = await places.take('a');
    giveBack();
    giveBack();
    await places.take('a');
    let isIn = false;
    void places.take('a').then(() => {
      isIn = true;
    });
    await settle();
    assert.equal(isIn, false);
  });

  it('never are more than there may be, and no run waits while there is a place for it', async () => {
    const count = 3;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.boolean()), { maxLength: 60 }),
        async (steps: readonly (readonly [string, boolean])[]) => {
          const { begun, begin, end } = runsIn(new Places(count));
          const running: string[] = [];
          const waiting: string[] = [];
          for (const [repository, ends] of steps) {
            if (ends && running.includes(repository)) {
              running.splice(running.indexOf(repository), 1);
              await end(repository);
            } else {
              waiting.push(repository);
              void begin(repository);
              await settle();
            }
            for (const fresh of begun.splice(0)) {
              running.push(fresh);
              waiting.splice(waiting.indexOf(fresh), 1);
            }
            assert.ok(running.length <= 2 * count);
            for (const other of waiting)
              assert.ok(running.length >= (running.includes(other) ? count : 2 * count), `${other} waits while ${running.join()} run`);
          }
        },
      ),
    );
  });
});

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { DailyCleaner } from '../src/index.js';
import type { Logger } from '@srv/kernel';

const hour = 3_600_000;
const quiet = (): void => undefined;

function cleanerOf(repositories: readonly string[], clean: (repository: string) => Promise<void>) {
  const warnings: string[] = [];
  const log: Logger = {
    trace: quiet,
    debug: quiet,
    info: quiet,
    warn: (_, message) => void warnings.push(message),
    error: quiet,
    child: () => log,
  };
  const engine = {
    async *repositories() {
      yield* repositories.map(id => ({ id }));
    },
  };
  return { cleaner: new DailyCleaner({ engine, log, what: 'things', clean: ({ id }) => clean(id) }), warnings };
}

/** Lets what was begun end. */
const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

test('repositories are cleaned an hour after the start, then once a day, until it is stopped', async t => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.after(() => mock.timers.reset());
  const cleaned: string[] = [];
  const { cleaner, warnings } = cleanerOf(['a', 'b'], async repository => {
    cleaned.push(repository);
    if (cleaned.length === 3) throw new Error('the store is away');
  });
  cleaner.start();
  mock.timers.tick(hour - 1);
  await settled();
  assert.deepEqual(cleaned, []);
  mock.timers.tick(1);
  await settled();
  assert.deepEqual(cleaned, ['a', 'b']);
  mock.timers.tick(24 * hour);
  await settled();
  assert.deepEqual([cleaned, warnings], [['a', 'b', 'a', 'b'], ['clean-up failed; it will be tried again']]);
  mock.timers.tick(24 * hour);
  await settled();
  assert.deepEqual(cleaned.slice(4), ['a', 'b']);
  cleaner.stop();
  mock.timers.tick(48 * hour);
  await settled();
  assert.equal(cleaned.length, 6);
});

test('a repository that fails is logged, and the others are cleaned; stopping ends the round', async () => {
  const cleaned: string[] = [];
  const { cleaner, warnings } = cleanerOf(['a', 'b', 'c', 'd'], async repository => {
    cleaned.push(repository);
    if (repository === 'c') cleaner.stop();
    if (repository === 'a') throw new Error('the bucket of a is gone');
  });
  await cleaner.cleanAll();
  assert.deepEqual([cleaned, warnings], [['a', 'b', 'c'], ['clean-up failed; it will be tried again']]);
});

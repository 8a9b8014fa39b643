/** Action files that nothing runs are not passed over in silence. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SrvError, createHooks, definePlugin } from '@srv/kernel';
import { runsActions } from '../../src/objects/action-files.js';
import { IgnoredActionsWarning } from '../../src/objects/ignored-actions-warning.js';
import { commit, newRepository, openEngine } from './fixture.js';
import type { EventRecord, Logger } from '@srv/kernel';
import type { Engine } from '../../src/contract.js';

interface Warning {
  readonly repository: string;
  readonly ref: string;
  readonly path: string;
}

/** A log that keeps warnings. */
function recorder(warnings: Warning[]): Logger {
  const silent = (): void => {};
  const log: Logger = {
    trace: silent,
    debug: silent,
    info: silent,
    error: silent,
    fatal: silent,
    warn: (fields: unknown) => void warnings.push(fields as Warning),
    child: () => log,
  } as Logger;
  return log;
}

describe('action files that nothing runs', () => {
  it('cause one warning a minute per repository, and one check a minute per ref', async t => {
    const { engine } = await openEngine(t);
    await newRepository(engine, 'gated', '_lakefs_actions/check.yaml');
    await newRepository(engine, 'free', 'a');
    await newRepository(engine, 'marker', '_srv_actions/');
    const hooks = createHooks();
    const warnings: Warning[] = [];
    let now = 0;
    let looks = 0;
    const watched: Pick<Engine, 'list'> = {
      list(...request) {
        looks++;
        return engine.list(...request);
      },
    };
    const ignoredActions = new IgnoredActionsWarning({ hooks, log: recorder(warnings), now: () => now });
    ignoredActions.watch(() => watched);
    const event = async (repository: string, sourceRef = 'main', more: Partial<EventRecord> = {}): Promise<void> => {
      await hooks.event
        .for('pre-commit')
        .promise({ runId: 'r', type: 'pre-commit', repository, storageNamespace: 'mem://x', sourceRef, ...more });
      await ignoredActions.drain();
    };
    for (let i = 0; i < 50; i++) for (const repository of ['gated', 'free', 'marker']) await event(repository);
    assert.deepEqual(
      warnings.map(({ repository, ref, path }) => [repository, ref, path]),
      [['gated', 'main', '_lakefs_actions/check.yaml']],
    );
    assert.equal(looks, 2 + 2 + 2, 'two folders each, once');
    await engine.createBranch('gated', 'dev', 'main');
    await engine.putObject('gated', 'dev', '_srv_actions/x.yaml', Buffer.from('x'));
    now += 59_999;
    await event('gated');
    await event('gated', 'dev');
    assert.equal(warnings.length, 1, 'of the repository there was a warning in this minute');
    now += 1;
    await event('gated', 'dev', { type: 'pre-commit' });
    await event('gated');
    assert.equal(warnings.length, 2);
    await event('missing');
    // The sources of merges are commits, another each time.
    looks = 0;
    for (let i = 0; i < 5; i++) await event('free', `${i}`.repeat(64), { mergeSource: 'feature' });
    assert.ok(looks <= 2, `${looks}`);
  });

  it('beyond remembered: a ref not looked at for long is looked at again', async t => {
    const { engine } = await openEngine(t);
    await newRepository(engine, 'free', 'a');
    const hooks = createHooks();
    let looks = 0;
    const list = (): never => {
      looks++;
      throw new SrvError('not_found', 'no such ref');
    };
    const ignoredActions = new IgnoredActionsWarning({ hooks, log: recorder([]), now: () => 0 });
    ignoredActions.watch(() => ({ list }));
    const event = async (sourceRef: string): Promise<void> => {
      await hooks.event
        .for('pre-commit')
        .promise({ runId: 'r', type: 'pre-commit', repository: 'free', storageNamespace: 'mem://x', sourceRef });
      await ignoredActions.drain();
    };
    await event('b0');
    const once = looks;
    await event('b0');
    assert.equal(looks, once);
    for (let i = 1; i <= 1000; i++) await event(`b${i}`);
    await event('b1000');
    assert.equal(looks, 1001 * once);
    await event('b0');
    assert.equal(looks, 1002 * once);
  });

  it('are looked for by every operation that they could stop, and not once they are run', async t => {
    const warned = async (run: (engine: Engine) => Promise<unknown>, actions: boolean): Promise<number> => {
      const warnings: Warning[] = [];
      const runner = definePlugin({
        name: 'actions',
        apply(kernel) {
          kernel.hooks.event.for('pre-commit').tap('actions', () => {});
        },
      });
      const observer = definePlugin({
        name: 'stats',
        apply(kernel) {
          kernel.hooks.event.for('pre-commit').tap('stats', () => {});
        },
      });
      const { engine, kernel } = await openEngine(t, {}, undefined, [actions ? runner : observer]);
      assert.equal(runsActions(kernel.hooks), actions);
      await newRepository(engine, 'repo', '_lakefs_actions/check.yaml');
      const ignoredActions = new IgnoredActionsWarning({ hooks: kernel.hooks, log: recorder(warnings) });
      ignoredActions.watch(() => engine);
      await run(engine);
      await ignoredActions.drain();
      return warnings.length;
    };
    const operations: readonly ((engine: Engine) => Promise<unknown>)[] = [
      engine => engine.commit('repo', 'main', commit),
      engine => engine.createBranch('repo', 'dev', 'main'),
      engine => engine.createTag('repo', 'v1', 'main~0').then(() => engine.deleteTag('repo', 'v1')),
    ];
    // A tag is of what is committed, and the file is not.
    assert.deepEqual(await Promise.all(operations.map(operation => warned(operation, false))), [1, 1, 0]);
    assert.deepEqual(await Promise.all(operations.slice(0, 1).map(operation => warned(operation, true))), [0]);
  });
});

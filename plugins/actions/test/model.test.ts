/** Random trees of action files and random events against a naive matcher. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runCount, seededRandom } from '@srv/kernel/testing';
import { eventTypes } from '../src/files/event-types.js';
import { openServer } from './probe.js';
import type { EventRecord, EventType } from '@srv/kernel';

/** Branches and patterns, with what a person would say that matches. */
const branches = ['main', 'dev', 'release-1', 'release-22'];
const patterns: Readonly<Record<string, readonly string[]>> = {
  main: ['main'],
  '*': branches,
  'release-*': ['release-1', 'release-22'],
  'release-?': ['release-1'],
  '[dm]*': ['main', 'dev'],
  '[^m]*': ['dev', 'release-1', 'release-22'],
  nothing: [],
};

const rounds = runCount(80, 300);

interface Hook {
  readonly id: string;
  readonly fails: boolean;
  readonly condition: 'success()' | 'failure()' | 'true' | '';
}

interface File {
  readonly name: string;
  readonly on: ReadonlyMap<EventType, readonly string[]>;
  readonly hooks: readonly Hook[];
  /** Its text cannot be parsed. */
  readonly broken: boolean;
}

type Tree = Map<string, File>;

const text = ({ name, on, hooks, broken }: File): string =>
  broken
    ? 'name: [unfinished'
    : JSON.stringify({
        name,
        on: Object.fromEntries([...on].map(([event, globs]) => [event, globs.length > 0 ? { branches: globs } : null])),
        hooks: hooks.map(({ id, fails, condition }) => ({
          id,
          type: 'probe',
          ...(condition === '' ? {} : { if: condition }),
          properties: { text: 'x', ...(fails ? { fail: 'set by the test' } : {}) },
        })),
      });

/** Hooks that run, as `<action> <hook>`, and whether the operation is refused. */
function expected(tree: Tree, type: EventType, branch: string): { readonly ran: readonly string[]; readonly refused: boolean } {
  const files = [...tree].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, file]) => file);
  if (files.some(({ broken }) => broken)) return { ran: [], refused: true };
  const ran: string[] = [];
  let refused = false;
  for (const { name, on, hooks } of files) {
    const globs = on.get(type);
    if (!globs || (globs.length > 0 && !globs.some(glob => patterns[glob]?.includes(branch)))) continue;
    let failed = false;
    for (const { id, fails, condition } of hooks) {
      const runs = condition === 'true' || (condition === 'failure()' ? failed : !failed);
      if (!runs) continue;
      ran.push(`${name} ${id}`);
      failed ||= fails;
    }
    refused ||= failed;
  }
  return { ran: ran.sort(), refused };
}

it('random trees and events start what a person would expect, refuse when one fails, and leave the records of it', async t => {
  const random = seededRandom();
  t.diagnostic(`SRV_TEST_SEED=${random.seed}`);
  const { kernel, put, engine, probe } = await openServer(t);
  const repository = await engine.getRepository('repo');
  // Commits between the events have none themselves.
  const hookless = { ...repository, readOnly: true };
  for (const branch of branches.slice(1)) await engine.createBranch('repo', branch, 'main');
  const trees = new Map<string, Tree>(branches.map(branch => [branch, new Map()]));
  const { choose: pick, below } = random;
  const branchEvents = eventTypes.filter(type => !type.endsWith('-tag'));
  for (let round = 0; round < rounds; round++) {
    const branch = pick(branches);
    const tree = trees.get(branch) as Tree;
    const path = `${pick(['_srv_actions/', '_lakefs_actions/'])}file-${below(4)}`;
    const kind = below(6);
    if (kind < 3) {
      const file: File = {
        name: `action at ${path.replaceAll('/', ' ')}`,
        on: new Map(
          Array.from({ length: 1 + below(3) }, () => [
            pick(branchEvents),
            Array.from({ length: below(3) }, () => pick(Object.keys(patterns))),
          ]),
        ),
        hooks: Array.from({ length: below(4) }, (_, i) => ({
          id: `hook-${i}`,
          fails: below(4) === 0,
          condition: pick(['', 'success()', 'failure()', 'true'] as const),
        })),
        broken: below(12) === 0,
      };
      tree.set(path, file);
      await put(branch, path, text(file));
    } else if (kind === 3) {
      tree.delete(path);
      await engine.deleteObject('repo', branch, path);
    } else if (kind === 4) await put(branch, pick(['a', 'Z', '_m', '_srv_actionz']), String(round));
    else await kernel.services.get('engine').commit(hookless, branch, { committer: 'c', message: 'm', allowEmpty: true, force: true });
    const type = pick(branchEvents);
    const event: EventRecord = {
      runId: `i9v2k0lpocvs73f${String(round).padStart(4, '0')}0`,
      type,
      repository: 'repo',
      storageNamespace: repository.storageNamespace,
      sourceRef: branch,
      branch,
    };
    probe.calls.length = 0;
    const error: unknown = await kernel.hooks.event
      .get(type)
      ?.promise(event)
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    const wanted = expected(tree, type, branch);
    const ran = probe.calls.map(({ action, hookId }) => `${action} ${hookId}`).sort();
    assert.deepEqual(ran, wanted.ran, `round ${round}: ${type} on ${branch}`);
    const isBroken = [...tree.values()].some(({ broken }) => broken);
    assert.equal(error !== undefined, type.startsWith('post-') ? isBroken : wanted.refused, `round ${round}: ${String(error)}`);
    const hooks = await kernel.services.get('actions').hooks('repo', event.runId);
    const recorded = hooks.results.filter(({ status }) => status !== 'skipped').map(({ action, hookId }) => `${action} ${hookId}`);
    assert.deepEqual(recorded.sort(), wanted.ran, `round ${round}: records`);
    if (recorded.length > 0)
      assert.equal((await kernel.services.get('actions').get('repo', event.runId)).status, wanted.refused ? 'failed' : 'completed');
  }
});

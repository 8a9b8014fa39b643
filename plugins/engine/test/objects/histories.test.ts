import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSrvError } from '@srv/kernel';
import { runCount } from '@srv/kernel/testing';
import fc from 'fast-check';
import { newRepository, openEngine } from './fixture.js';
import type { Engine } from '../../src/contract.js';

/** Path -> content of everything at a commit or branch. */
type Content = ReadonlyMap<string, string>;

const branches = ['main', 'dev', 'fix'] as const;
type Branch = (typeof branches)[number];

const branch = fc.constantFrom(...branches);
// Neighbouring names, and few contents: equal content under other names is what confuses careless merges.
const path = fc.constantFrom('a', 'a/b', 'a.b', 'b', 'b0', 'b1', 'c/d', 'c/e');
const content = fc.constantFrom('X', 'Y', 'Z');
const strategy = fc.constantFrom('none', 'dest-wins', 'source-wins');

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('put' as const), branch, path, content }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), branch, path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rename' as const), branch, path, to: path }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('merge' as const), branch, source: branch, strategy }) },
);

/** What a naive merge gives; `undefined`: a conflict. */
function merged(destination: Content, source: Content, base: Content, how: string): Content | undefined {
  const result = new Map<string, string>();
  for (const name of new Set([...destination.keys(), ...source.keys()])) {
    const [d, s, b] = [destination.get(name), source.get(name), base.get(name)];
    if (d !== s && d !== b && s !== b && how === 'none') return undefined;
    const taken = d === s || d === b || (s !== b && how === 'source-wins') ? s : d;
    if (taken !== undefined) result.set(name, taken);
  }
  return result;
}

async function contentAt(engine: Engine, repository: string, ref: string): Promise<Content> {
  const { results } = await engine.list(repository, ref, { amount: 1000 });
  return new Map(results.flatMap(item => (item.kind === 'object' ? [[item.path, item.entry.etag] as const] : [])));
}

const sorted = (c: Content): [string, string][] => [...c].sort(([a], [b]) => (a < b ? -1 : 1));

describe('random histories against a naive model', () => {
  it('merge, diff and log agree', async t => {
    const { engine } = await openEngine(t, { 'committed.permanent.range_raggedness_entries': 2 });
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async steps => {
        const id = await newRepository(engine, `repo-${number++}`);
        for (const name of branches.slice(1)) await engine.createBranch(id, name, 'main');
        const known = new Map<Branch, Content>(branches.map(name => [name, new Map()]));
        const of = (name: Branch): Content => known.get(name) ?? new Map();
        const commit = async (name: Branch): Promise<void> => {
          try {
            await engine.commit(id, name, { committer: 'c', message: 'm' });
          } catch (error) {
            if (!isSrvError(error, 'no_changes')) throw error;
          }
          known.set(name, await contentAt(engine, id, name));
        };
        for (const s of steps) {
          const before = of(s.branch);
          if (s.kind === 'put') {
            await engine.putObject(id, s.branch, s.path, Buffer.from(s.content));
            await commit(s.branch);
          } else if (s.kind === 'delete') {
            await engine.deleteObject(id, s.branch, s.path);
            await commit(s.branch);
            assert.ok(!of(s.branch).has(s.path));
          } else if (s.kind === 'rename') {
            if (!before.has(s.path) || s.path === s.to) continue;
            await engine.copyObject(id, { ref: s.branch, path: s.path }, { branch: s.branch, path: s.to });
            await engine.deleteObject(id, s.branch, s.path);
            await commit(s.branch);
            assert.equal(of(s.branch).get(s.to), before.get(s.path));
          } else await merge(engine, id, s, before, of(s.source), c => known.set(s.branch, c));
        }
        const difference = await engine.diff(id, 'main', 'dev', { type: 'two_dot', amount: 1000 });
        const names = new Set([...of('main').keys(), ...of('dev').keys()]);
        const expected = [...names].filter(name => of('main').get(name) !== of('dev').get(name)).sort();
        assert.deepEqual(difference.results.map(d => d.path).sort(), expected);
      }),
      { numRuns: runCount(20, 60) },
    );
  });
});

async function merge(
  engine: Engine,
  id: string,
  s: { branch: Branch; source: Branch; strategy: string },
  before: Content,
  source: Content,
  note: (content: Content) => void,
): Promise<void> {
  const { baseCommitId } = await engine.findMergeBase(id, s.source, s.branch);
  const base = await contentAt(engine, id, baseCommitId);
  const expected = merged(before, source, base, s.strategy);
  const request = { committer: 'm', ...(s.strategy === 'none' ? {} : { strategy: s.strategy as 'dest-wins' | 'source-wins' }) };
  try {
    const preview =
      s.strategy === 'none' && s.source !== s.branch ? await engine.diff(id, s.branch, s.source, { amount: 1000 }) : undefined;
    if (preview)
      assert.equal(
        preview.results.some(d => d.type === 'conflict'),
        expected === undefined,
      );
    await engine.merge(id, s.source, s.branch, request);
    assert.ok(expected, 'a conflict was merged');
    const after = await contentAt(engine, id, s.branch);
    assert.deepEqual(sorted(after), sorted(expected));
    note(after);
  } catch (error) {
    if (isSrvError(error, 'no_changes')) assert.deepEqual(sorted(source), sorted(base));
    else if (isSrvError(error, 'conflict')) assert.equal(expected, undefined);
    else throw error;
  }
}

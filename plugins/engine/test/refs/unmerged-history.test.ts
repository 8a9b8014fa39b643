/** What one commit leads to and another does not, compared with sets of all ancestors. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runCount, seededRandom } from '@srv/kernel/testing';
import { walkUnmerged } from '../../src/refs/unmerged-history.js';
import type { SeededRandom } from '@srv/kernel/testing';
import type { Commit } from '../../src/refs/contract.js';

type History = ReadonlyMap<string, Commit>;

function grow(count: number, random: SeededRandom): History {
  const history = new Map<string, Commit>();
  for (let i = 0; i < count; i++) {
    const earlier = [...history.keys()].slice(-6);
    const wanted = earlier.length === 0 ? 0 : random.below(3);
    const parents = [...new Set(Array.from({ length: wanted }, () => random.choose(earlier)))];
    const generation = 1 + Math.max(0, ...parents.map(id => history.get(id)?.generation ?? 0));
    // Clocks differ: children may be older than their parents.
    const creationDate = new Date(random.below(50) * 1000);
    history.set(`c${i}`, {
      id: `c${i}`,
      parents,
      generation,
      creationDate,
      committer: '',
      message: '',
      metarangeId: '',
      metadata: {},
      version: 1,
    });
  }
  return history;
}

function find(history: History, id: string): Commit {
  const commit = history.get(id);
  assert.ok(commit, id);
  return commit;
}

function ancestors(history: History, id: string, firstParent = false, into = new Set<string>()): Set<string> {
  if (into.has(id)) return into;
  into.add(id);
  const { parents } = find(history, id);
  for (const parent of firstParent ? parents.slice(0, 1) : parents) ancestors(history, parent, firstParent, into);
  return into;
}

async function walk(history: History, start: string, excluded: string, options: { firstParent?: boolean; since?: Date } = {}) {
  const [ids, fetched]: [string[], string[]] = [[], []];
  const get = (id: string): Promise<Commit> => {
    fetched.push(id);
    return Promise.resolve(find(history, id));
  };
  for await (const { id } of walkUnmerged(find(history, start), find(history, excluded), options, get)) ids.push(id);
  return { ids, fetched };
}

describe('commits of one history that another lacks', () => {
  it('are the difference of all ancestors, children before parents', async () => {
    const random = seededRandom();
    for (let run = 0; run < runCount(60, 600); run++) {
      const history = grow(2 + random.below(40), random);
      const all = [...history.keys()];
      const [start, excluded] = [random.choose(all), random.choose(all)];
      const firstParent = random.below(2) === 0;
      const said = `seed ${random.seed}, run ${run}`;
      const lacking = ancestors(history, excluded);
      const { ids } = await walk(history, start, excluded, { firstParent });
      assert.deepEqual(new Set(ids), new Set([...ancestors(history, start, firstParent)].filter(id => !lacking.has(id))), said);
      assert.equal(new Set(ids).size, ids.length, said);
      for (const [at, id] of ids.entries())
        for (const parent of find(history, id).parents) assert.ok(!ids.slice(0, at).includes(parent), `${said}: ${parent} before ${id}`);
    }
  });

  it('are found without reading what both have in common', async () => {
    const history = new Map<string, Commit>();
    const add = (id: string, parents: string[], generation: number): unknown =>
      history.set(id, {
        id,
        parents,
        generation,
        creationDate: new Date(generation * 1000),
        committer: '',
        message: '',
        metarangeId: '',
        metadata: {},
        version: 1,
      });
    for (let i = 0; i < 1000; i++) add(`m${i}`, i === 0 ? [] : [`m${i - 1}`], i + 1);
    add('dev1', ['m998'], 1000);
    add('dev2', ['dev1'], 1001);
    const { ids, fetched } = await walk(history, 'dev2', 'm999');
    assert.deepEqual(ids, ['dev2', 'dev1']);
    assert.ok(fetched.length < 6, String(fetched));
    assert.deepEqual((await walk(history, 'dev2', 'm999', { since: new Date(1_001_000) })).ids, ['dev2']);
  });
});

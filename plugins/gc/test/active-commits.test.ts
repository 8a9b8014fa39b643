import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { activeCommits, factsOf, thresholdOf } from '../src/mark/active-commits.js';
import { day } from './fixture.js';
import { pick, randomFrom } from './random.js';
import type { CommitFacts } from '../src/mark/active-commits.js';
import type { Rules } from '../src/rules/rules.js';

const firstSeed = Number(process.env['SRV_TEST_SEED'] ?? Date.now() % 1_000_000);
const now = new Date('2026-07-15T12:00:00Z');

/** `a5: b` is commit a, 5 days old, whose main parent is b. */
function graph(...texts: string[]): Map<string, CommitFacts> {
  return new Map(
    texts.map(text => {
      const [, id = '', age = '', parent = ''] = /^([A-Za-z]+\d*?)(\d+)(?::\s*(\w+))?$/.exec(text) ?? [];
      const facts = { id, date: (now.getTime() - Number(age) * day) * 1000, mainParent: parent.replace(/\d+$/, ''), metarangeId: '' };
      return [id, facts];
    }),
  );
}

async function active(
  commits: ReadonlyMap<string, CommitFacts>,
  heads: Readonly<Record<string, number>>,
  { defaultDays = 5, rules = {}, tagged = [] as string[], keep = 'none' as const } = {},
): Promise<string> {
  const all: Rules = {
    defaultRetentionDays: defaultDays,
    branches: Object.entries(heads).map(([id, days]) => ({ branchId: id, retentionDays: days })),
    tags: { keep },
    ...rules,
  };
  const found = await activeCommits({
    commits,
    heads: Object.keys(heads).map(id => ({ branch: id, commitId: id })),
    tagged,
    rules: all,
    now,
  });
  return [...found].sort().join('');
}

describe('which commits stay', () => {
  it('a chain up to and including the first commit older than the threshold', async () => {
    assert.equal(await active(graph('f1: e', 'e5: b', 'b10: a', 'a15', 'd5: c', 'c10: a'), { f: 7, d: 3 }), 'bdef');
  });

  it('two chains that meet', async () => {
    const commits = graph('h3: a', 'a4: c', 'c18: e', 'f19: e', 'g4: b', 'b17: d', 'd20: e', 'e21');
    assert.equal(await active(commits, { h: 14, g: 7, f: 7 }), 'abcfgh');
  });

  it('the longer retention where two branches share history', async () => {
    // head1 9d -> head2 10d -> x14 -> root20
    const commits = graph('p9: q', 'q10: x', 'x14: r', 'r20');
    assert.equal(await active(commits, { p: 9, q: 12 }), 'pqx');
  });

  it('heads, however old', async () => {
    assert.equal(await active(graph('a100', 'b200'), { a: 1, b: 0 }), 'ab');
  });

  it('a young abandoned commit and what preceded it; nothing of an old one', async () => {
    const live = ['c10: a', 'a15', 'f1: c'];
    assert.equal(await active(graph(...live, 'i4: h', 'h7: g', 'g8: c'), { f: 1 }), 'fhi');
    assert.equal(await active(graph(...live, 'i6: h', 'h7: g', 'g8: c'), { f: 1 }), 'f');
  });

  it('a parent that a young child needs, whatever older child was walked before it', async () => {
    for (const [older, younger] of [
      ['x', 'y'],
      ['y', 'x'],
    ] as const) {
      const commits = graph(`${younger}1: p`, `${older}10: p`, 'p12');
      assert.equal(await active(commits, { [older]: 7, [younger]: 7 }), 'pxy');
    }
    const longer = graph('y1: p', 'x40: p', 'p50');
    assert.equal(await active(longer, { x: 30, y: 7 }), 'pxy');
  });

  it('the newest commits of every branch, up to the configured number', async () => {
    const commits = graph('d20: c', 'c30: b', 'b40: a', 'a50');
    assert.equal(await active(commits, { d: 0 }), 'd');
    assert.equal(await active(commits, { d: 0 }, { rules: { keepLastCommits: 3 } }), 'bcd');
  });

  it('tagged commits as the rules say', async () => {
    const commits = graph('c1: b', 'b20: a', 'a50');
    const tagged = ['a', 'b'];
    assert.equal(await active(commits, { c: 0 }, { tagged }), 'c');
    assert.equal(await active(commits, { c: 0 }, { tagged, rules: { tags: { keep: 'all' } } }), 'abc');
    assert.equal(await active(commits, { c: 0 }, { tagged, rules: { tags: undefined } }), 'abc');
    assert.equal(await active(commits, { c: 0 }, { tagged, rules: { tags: { keep: 'days', retentionDays: 30 } } }), 'bc');
  });

  it('all of them without rules', async () => {
    const found = await activeCommits({ commits: graph('b20: a', 'a50'), heads: [], tagged: [], rules: undefined, now });
    assert.deepEqual([...found].sort(), ['a', 'b']);
  });

  it('the days of a pattern, unless the branch has a rule of its own', async () => {
    const commits = graph('c1: b', 'b20: a', 'a50');
    const heads = [{ branch: 'release-1', commitId: 'c' }];
    const rules = { defaultRetentionDays: 0, branches: [], patterns: [{ pattern: 'release-*', retentionDays: 30 }] };
    const found = await activeCommits({ commits, heads, tagged: [], rules, now });
    assert.deepEqual([...found].sort(), ['a', 'b', 'c']);
    const own = { ...rules, branches: [{ branchId: 'release-1', retentionDays: 0 }] };
    assert.deepEqual([...(await activeCommits({ commits, heads, tagged: [], rules: own, now }))], ['c']);
  });
});

describe('dates', () => {
  it('a threshold lies whole calendar days back, and however many days have one', () => {
    const then = new Date(thresholdOf(now, 14) / 1000);
    assert.equal(then.getDate(), new Date(now.getTime() - 14 * day).getDate());
    assert.equal(thresholdOf(now, 2 ** 31 - 1), Number.NEGATIVE_INFINITY);
  });

  it('counts microseconds, and takes the last parent of merges of the first version', () => {
    const metarangeId = 'a'.repeat(64);
    const commit = {
      id: 'c',
      committer: '',
      message: '',
      creationDate: new Date(5),
      creationNanos: 1_999,
      metarangeId,
      metadata: {},
      parents: ['p', 'q'],
      version: 0,
      generation: 1,
    };
    assert.deepEqual(factsOf(commit), { id: 'c', date: 5001, mainParent: 'q', metarangeId });
    assert.equal(factsOf({ ...commit, version: 1 }).mainParent, 'p');
    // As earlier versions stored it: no file can have such a name.
    assert.equal(factsOf({ ...commit, metarangeId: 'typo' }).metarangeId, '');
  });
});

/** The definition, word for word. */
function byDefinition(
  commits: ReadonlyMap<string, CommitFacts>,
  heads: readonly (readonly [string, number])[],
  defaultDays: number,
): string {
  const stays = new Set<string>();
  const chain = (start: string, threshold: number): void => {
    for (let c = commits.get(start); c; c = commits.get(c.mainParent))
      if (c.date > threshold && commits.has(c.mainParent)) stays.add(c.mainParent);
  };
  for (const [id, days] of heads) {
    stays.add(id);
    chain(id, thresholdOf(now, days));
  }
  const parents = new Set([...commits.values()].map(c => c.mainParent));
  for (const c of commits.values()) {
    if (parents.has(c.id) || heads.some(([id]) => id === c.id)) continue;
    if (c.date > thresholdOf(now, defaultDays)) stays.add(c.id);
    chain(c.id, thresholdOf(now, defaultDays));
  }
  return [...stays].sort().join();
}

describe('random graphs', () => {
  it(`agree with the definition in every order of commits and branches (SRV_TEST_SEED=${firstSeed})`, async () => {
    for (let seed = firstSeed; seed < firstSeed + 500; seed++) {
      const random = randomFrom(seed);
      const list: CommitFacts[] = [];
      for (let i = 0; i < 12; i++) {
        const parent = list.length > 0 && random() < 0.9 ? pick(random, list).id : '';
        list.push({
          id: `c${Math.floor(random() * 1e9)}`,
          date: (now.getTime() - random() * 20 * day) * 1000,
          mainParent: parent,
          metarangeId: '',
        });
      }
      const heads = Array.from({ length: 4 }, () => [pick(random, list).id, Math.floor(random() * 20)] as const);
      const defaultDays = Math.floor(random() * 15);
      const shuffled = list.toSorted(() => random() - 0.5);
      const rules: Rules = {
        defaultRetentionDays: defaultDays,
        branches: heads.map(([, retentionDays], i) => ({ branchId: `b${i}`, retentionDays })),
      };
      const found = await activeCommits({
        commits: new Map(shuffled.map(c => [c.id, c])),
        heads: heads.map(([commitId], i) => ({ branch: `b${i}`, commitId })),
        tagged: [],
        rules,
        now,
      });
      assert.equal([...found].sort().join(), byDefinition(new Map(list.map(c => [c.id, c])), heads, defaultDays), `seed ${seed}`);
    }
  });
});

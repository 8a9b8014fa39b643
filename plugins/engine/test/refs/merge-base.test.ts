import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findMergeBase } from '../../src/refs/merge-base.js';
import type { Commit } from '../../src/refs/contract.js';

/** Parents of commits, in order of generation; the creation date is the number of seconds, if any. */
class History {
  readonly #commits = new Map<string, Commit>();
  fetches: string[] = [];

  add(id: string, parents: readonly string[], seconds = this.#commits.size): this {
    const generation = 1 + Math.max(0, ...parents.map(parent => this.commit(parent).generation));
    const creationDate = new Date(seconds * 1000);
    this.#commits.set(id, { id, parents, generation, creationDate, committer: '', message: '', metarangeId: '', metadata: {}, version: 1 });
    return this;
  }

  commit(id: string): Commit {
    const found = this.#commits.get(id);
    assert.ok(found, id);
    return found;
  }

  async base(left: string, right: string): Promise<string | undefined> {
    this.fetches = [];
    const get = async (id: string): Promise<Commit> => {
      this.fetches.push(id);
      return this.commit(id);
    };
    return (await findMergeBase(this.commit(left), this.commit(right), get))?.id;
  }
}

describe('merge base', () => {
  it('of lines, forks, and a commit with itself', async () => {
    const history = new History().add('1', []).add('2', ['1']).add('3', ['2']).add('a', ['2']).add('b', ['a']).add('other', []);
    assert.equal(await history.base('b', 'b'), 'b');
    assert.equal(await history.base('3', 'b'), '2');
    assert.equal(await history.base('b', '3'), '2');
    assert.equal(await history.base('1', 'b'), '1');
    assert.equal(await history.base('b', 'a'), 'a');
    assert.equal(await history.base('b', 'other'), undefined);
  });

  it('of branches that were merged before is what was merged', async () => {
    const history = new History()
      .add('1', [])
      .add('main2', ['1'])
      .add('dev2', ['1'])
      .add('merged', ['main2', 'dev2'])
      .add('dev3', ['dev2']);
    assert.equal(await history.base('dev3', 'merged'), 'dev2');
  });

  it('of crossed merges is the first parent, in order, that both sides lead to', async () => {
    const fork = new History().add('1', []).add('a', ['1'], 50).add('b', ['1'], 40);
    assert.equal(await fork.add('left', ['a', 'b'], 90).add('right', ['b', 'a'], 80).base('left', 'right'), 'b');
    assert.equal(await fork.base('right', 'left'), 'b');
    assert.equal(await fork.add('later', ['b', 'a'], 99).base('left', 'later'), 'a');
  });

  it('is looked for from the newest generation down, so that an old parent of one side does not win', async () => {
    const history = new History()
      .add('1', [])
      .add('old', ['1'])
      .add('a', ['1'])
      .add('b', ['a'])
      .add('left', ['b'])
      .add('merged', ['b'])
      .add('right', ['old', 'merged']);
    assert.equal(await history.base('left', 'right'), 'b');
    assert.equal(await history.base('right', 'left'), 'b');
  });

  it('fetches no commit twice', async () => {
    const history = new History()
      .add('1', [])
      .add('a', ['1'])
      .add('b', ['1'])
      .add('l', ['a', 'b'])
      .add('r', ['b', 'a'])
      .add('l2', ['l'])
      .add('r2', ['r']);
    await history.base('l2', 'r2');
    assert.deepEqual(history.fetches, [...new Set(history.fetches)]);
  });
});

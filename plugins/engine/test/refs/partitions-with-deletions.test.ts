import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PartitionsWithDeletions } from '../../src/refs/branch-log/partitions-with-deletions.js';

describe('partitions in which a branch may have been deleted', () => {
  it('are asked for once', async () => {
    const asked: string[] = [];
    const partitions = new PartitionsWithDeletions(partition => {
      asked.push(partition);
      return Promise.resolve(partition === 'without');
    });
    for (let i = 0; i < 3; i++) {
      assert.equal(await partitions.has('without'), false);
      assert.equal(await partitions.has('with'), true);
    }
    assert.deepEqual(asked, ['without', 'with']);
    partitions.add('without');
    assert.equal(await partitions.has('without'), true);
    assert.equal(asked.length, 2);
  });

  it('a deletion that is recorded while the database is asked counts', async () => {
    const answers: ((isWithout: boolean) => void)[] = [];
    const partitions = new PartitionsWithDeletions(() => new Promise(resolve => answers.push(resolve)));
    const has = partitions.has('a');
    partitions.add('a');
    answers[0]?.(true);
    assert.equal(await has, true);
    assert.equal(await partitions.has('a'), true);
    assert.equal(answers.length, 1);
  });

  it('beyond maxPartitions: all are asked for again, also when that was forgotten while the database was asked', async () => {
    const answers: ((isWithout: boolean) => void)[] = [];
    const partitions = new PartitionsWithDeletions(() => new Promise(resolve => answers.push(resolve)));
    const has = partitions.has('a');
    partitions.add('a');
    for (let i = 0; i < 10_000; i++) partitions.add(`other ${i}`);
    answers[0]?.(true);
    assert.equal(await has, true);
    void partitions.has('a');
    assert.equal(answers.length, 2, 'what an older question was answered is not kept');
  });
});

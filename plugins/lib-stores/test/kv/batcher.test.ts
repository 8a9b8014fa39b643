/** Which requests go together, and when. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Batcher } from '../../src/kv/index.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

describe('requests are batched', () => {
  const recorded = (maxItems: number, maxRunning: number) => {
    const runs: { readonly items: readonly string[]; readonly end: () => void }[] = [];
    const batcher = new Batcher<string>({
      maxItems,
      maxRunning,
      groupOf: item => item.slice(0, 1),
      nameOf: item => item,
      run: items => new Promise(end => runs.push({ items, end })),
    });
    return { runs, batcher, sent: () => runs.map(({ items }) => items.join(' ')) };
  };

  test('by turn, group, name and number', async () => {
    const { batcher, sent } = recorded(3, 9);
    for (const item of ['a1', 'b1', 'a2', 'a1', 'a3', 'a4', 'b2']) batcher.add(item);
    assert.deepEqual(sent(), []);
    await turn();
    assert.deepEqual(sent(), ['a1 a2 a3', 'b1 b2', 'a1 a4']);
  });

  test('while enough are on their way', async () => {
    const { batcher, runs, sent } = recorded(9, 1);
    batcher.add('a1');
    await turn();
    for (const item of ['a2', 'a3']) {
      batcher.add(item);
      await turn();
    }
    assert.deepEqual(sent(), ['a1']);
    runs[0]?.end();
    await turn();
    await turn();
    assert.deepEqual(sent(), ['a1', 'a2 a3']);
  });
});

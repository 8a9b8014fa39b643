/** Which requests go together, and when. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Gatherer } from '../src/index.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

describe('requests are gathered', () => {
  const gatherer = (maxItems: number, maxRunning: number) => {
    const runs: { readonly items: readonly string[]; readonly end: () => void }[] = [];
    const gathering = new Gatherer<string>({
      maxItems,
      maxRunning,
      groupOf: item => item.slice(0, 1),
      nameOf: item => item,
      run: items => new Promise(end => runs.push({ items, end })),
    });
    return { runs, gathering, sent: () => runs.map(({ items }) => items.join(' ')) };
  };

  test('by turn, group, name and number', async () => {
    const { gathering, sent } = gatherer(3, 9);
    for (const item of ['a1', 'b1', 'a2', 'a1', 'a3', 'a4', 'b2']) gathering.add(item);
    assert.deepEqual(sent(), []);
    await turn();
    assert.deepEqual(sent(), ['a1 a2 a3', 'b1 b2', 'a1 a4']);
  });

  test('while enough are on their way', async () => {
    const { gathering, runs, sent } = gatherer(9, 1);
    gathering.add('a1');
    await turn();
    for (const item of ['a2', 'a3']) {
      gathering.add(item);
      await turn();
    }
    assert.deepEqual(sent(), ['a1']);
    runs[0]?.end();
    await turn();
    await turn();
    assert.deepEqual(sent(), ['a1', 'a2 a3']);
  });
});

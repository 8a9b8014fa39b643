import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger } from './ledger.js';

test('an acknowledged object must be there with its content', () => {
  const ledger = new Ledger();
  ledger.asked('a', 'one');
  ledger.acknowledged('a', 'one');
  ledger.saw(new Map([['a', 'one']]));
  assert.throws(() => ledger.saw(new Map()), /a holds nothing, but may hold only "one"/);
  assert.throws(() => ledger.saw(new Map([['a', 'two']])), /a holds "two"/);
});

test('a request without answer leaves the old or the new content, and what is seen stays', () => {
  const ledger = new Ledger();
  ledger.acknowledged('a', 'old');
  ledger.asked('a', 'new');
  ledger.saw(new Map([['a', 'new']]));
  assert.throws(() => ledger.saw(new Map([['a', 'old']])), /a holds "old", but may hold only "new"/);
  ledger.asked('a', undefined);
  ledger.saw(new Map());
  assert.deepEqual([...ledger.certain()], []);
});

test('reports an object that was never written', () => {
  assert.throws(() => new Ledger().saw(new Map([['ghost', 'boo']])), /ghost holds "boo", but may hold only nothing/);
});

/** Scans where the order of the database is not that of the bytes. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { collect, seededRandom } from '@srv/kernel/testing';
import { startCosmosdb } from '@srv/test-servers/cosmosdb';
import { bytes, openAt } from './stores.js';

const server = await startCosmosdb();
after(() => server.close());

test('random keys with low bytes are scanned in byte order from any start, with any first page', async () => {
  const store = await openAt(server.url);
  const { seed, below, choose } = seededRandom();
  const letters = ['\u0000', '\u0005', ' ', '!', "'", '/', 'a', 'b', 'c'];
  const names = new Set(Array.from({ length: 250 }, () => Array.from({ length: 1 + below(7) }, () => choose(letters)).join('')));
  await Promise.all([...names].map(name => store.set('p', bytes(name), bytes(name))));
  const sorted = [...names].sort();
  for (let i = 0; i < 25; i++) {
    const start = choose([...sorted, ' ', 'abc', 'abc ']);
    const batchSize = 1 + below(40);
    const pages: string[][] = [];
    for await (const page of store.scan('p', { start: bytes(start), batchSize })) pages.push(page.map(({ key }) => key.toString()));
    const context = `seed ${seed}, start ${JSON.stringify(start)}, batchSize ${batchSize}`;
    assert.deepEqual(
      pages.flat(),
      sorted.filter(name => name >= start),
      context,
    );
    assert.ok((pages[0]?.length ?? 0) <= batchSize, context);
    assert.ok(
      pages.every(page => page.length > 0),
      context,
    );
  }
  await store.close();
});

test('a key made while it is out of place is not returned out of order', async () => {
  const store = await openAt(server.url);
  for (const name of ['abc!', 'abc"', 'abcd']) await store.set('p', bytes(name), bytes(name));
  const found: string[] = [];
  for await (const page of store.scan('p', { batchSize: 1 })) {
    found.push(...page.map(({ key }) => key.toString()));
    await store.set('p', bytes('abc'), bytes('late'));
  }
  assert.deepEqual(found, ['abc!', 'abc"', 'abcd']);
  assert.deepEqual(
    (await collect(store.scan('p'))).map(({ key }) => key.toString()),
    ['abc', 'abc!', 'abc"', 'abcd'],
  );
  await store.close();
});

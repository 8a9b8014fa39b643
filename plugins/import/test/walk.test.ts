/** What several sources of an import list together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rejectsWith, runCount, seededRandom } from '@srv/kernel/testing';
import { importedChanges } from '../src/server/walk.js';
import type { BlockStore, WalkedObject } from '@srv/lib-stores/block';
import type { ImportPath } from '../src/contract.js';

interface Listed {
  readonly store: BlockStore;
  /** Listings that have begun and not ended. */
  readonly open: Set<string>;
}

/** A store of one bucket `b` with these keys, listed in pages of two. */
function storeOf(keys: readonly string[]): Listed {
  const sorted = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const open = new Set<string>();
  const store = {
    info: { wholeSegments: 1 },
    resolve: ({ identifier }: { identifier: string }) => identifier,
    async *walk(uri: string): AsyncGenerator<WalkedObject[]> {
      const prefix = uri.slice('s3://b/'.length);
      const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
      const found = sorted.filter(key => key.startsWith(prefix));
      open.add(uri);
      try {
        for (let at = 0; at < found.length; at += 2)
          yield found.slice(at, at + 2).map(key => ({
            relativeKey: key.slice(folder.length),
            address: `s3://b/${key}`,
            size: 1,
            etag: key,
            lastModified: new Date(0),
          }));
      } finally {
        open.delete(uri);
      }
    },
  };
  return { store: store as unknown as BlockStore, open };
}

/** `<path> <address>` of what is imported. */
async function imported({ store }: Listed, paths: readonly ImportPath[]): Promise<string[]> {
  const found: string[] = [];
  for await (const page of importedChanges({
    store,
    paths,
    storage: 's3://own/',
    note: () => undefined,
    signal: new AbortController().signal,
  }))
    for (const { key, value } of page) found.push(`${key.toString()} ${/s3:\/\/b\/[a-z0-9/]+/.exec(value?.toString('latin1') ?? '')?.[0]}`);
  return found;
}

test('an object is imported by its whole name alone', async () => {
  const one = (path: string): ImportPath => ({ type: 'object', path, destination: 'to' });
  for (const [key, path] of [
    ['x/x/x', 's3://b/x/x'],
    ['b/b', 's3://b/b'],
    ['a2', 's3://b/a'],
  ] as const)
    await rejectsWith(() => imported(storeOf([key]), [one(path)]), 'not_found', /no such object/);
  const listed = storeOf(['a', 'a/a', 'a1', 'a2', 'a3']);
  assert.deepEqual(await imported(listed, [one('s3://b/a')]), ['to s3://b/a']);
  assert.deepEqual([...listed.open], [], 'what else begins with its name is not listed to the end');
});

test('the later of two sources counts, whatever their number and order', async () => {
  const random = seededRandom();
  for (let run = 0; run < runCount(50, 1000); run++) {
    const keys = Array.from({ length: 12 }, () => `${random.below(3)}/${random.below(3)}/${random.below(20)}`);
    const listed = storeOf([...new Set(keys)]);
    const paths = Array.from({ length: 1 + random.below(8) }, (): ImportPath => {
      const key = keys[random.below(keys.length)] ?? '';
      return random.below(2) === 0
        ? { type: 'object', path: `s3://b/${key}`, destination: `${random.below(3)}` }
        : {
            type: 'common_prefix',
            path: `s3://b/${key.slice(0, 2 * random.below(2))}`,
            destination: ['', 'd', '0/1'][random.below(3)] ?? '',
          };
    });
    const expected = new Map<string, string>();
    for (const { type, path, destination } of paths)
      for (const key of new Set(keys)) {
        const address = `s3://b/${key}`;
        const folder = path.slice(0, path.lastIndexOf('/') + 1);
        if (type === 'object') {
          if (address === path) expected.set(destination, address);
        } else if (address.startsWith(path)) expected.set((destination && `${destination}/`) + address.slice(folder.length), address);
      }
    const lines = [...expected].map(entry => entry.join(' ')).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(await imported(listed, paths), lines, `seed ${random.seed}, run ${run}`);
    assert.deepEqual([...listed.open], []);
  }
});

test('listings end when one of them fails', async () => {
  const listed = storeOf(['a/1', 'a/2', 'a/3', 'c']);
  const paths: ImportPath[] = [
    { type: 'common_prefix', path: 's3://b/a/', destination: '' },
    { type: 'object', path: 's3://b/b', destination: 'b' },
  ];
  await rejectsWith(() => imported(listed, paths), 'not_found', /s3:\/\/b\/b: no such object/);
  assert.deepEqual([...listed.open], []);
});

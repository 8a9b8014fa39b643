import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExpiringCache, sharedCache } from '../src/cache.js';

const options = { enabled: true, size: 10, ttl: 10_000, jitter: 100 };

describe('the cache', () => {
  it('loads once for many who ask at once', async () => {
    const cache = new ExpiringCache<{ n: number }>(options);
    let loads = 0;
    const load = async () => {
      await sleep(5);
      return { n: ++loads };
    };
    const found = await Promise.all(Array.from({ length: 5 }, () => cache.get('k', load)));
    assert.deepEqual(
      found.map(f => f?.n),
      [1, 1, 1, 1, 1],
    );
    assert.equal((await cache.get('k', load))?.n, 1);
  });

  it('keeps neither absence nor errors', async () => {
    const cache = new ExpiringCache<object>(options);
    assert.equal(await cache.get('k', async () => undefined), undefined);
    await assert.rejects(
      cache.get('k', () => Promise.reject(new Error('no'))),
      /no/,
    );
    assert.deepEqual(await cache.get('k', async () => ({})), {});
  });

  it('keeps no value that it is to decline', async () => {
    const cache = new ExpiringCache<{ n: number }>(options, ({ n }) => n > 1);
    const found = [];
    for (const n of [1, 2, 3]) found.push(await cache.get('k', async () => ({ n })));
    assert.deepEqual(found, [{ n: 1 }, { n: 2 }, { n: 2 }]);
  });

  it('beyond size: the entry least in use is loaded again', async () => {
    const cache = new ExpiringCache<{ n: number }>(options);
    for (let n = 0; n <= 10; n++) await cache.get(`k${n}`, async () => ({ n }));
    assert.deepEqual(
      [0, 1, 10].map(n => cache.peek(`k${n}`)?.n),
      [undefined, 1, 10],
    );
  });

  it('forgets what changes while it is being loaded', async () => {
    const cache = new ExpiringCache<{ n: number }>(options);
    const old = cache.get('k', async () => {
      await sleep(10);
      return { n: 1 };
    });
    void cache.forget('k');
    assert.deepEqual(await cache.get('k', async () => ({ n: 2 })), { n: 2 });
    assert.deepEqual(await old, { n: 1 });
    assert.deepEqual(await cache.get('k', async () => ({ n: 3 })), { n: 2 });
  });

  it('lets entries go after their time, and can be off', async () => {
    const brief = new ExpiringCache<{ n: number }>({ ...options, ttl: 5, jitter: 0 });
    await brief.get('k', async () => ({ n: 1 }));
    await sleep(20);
    assert.deepEqual(await brief.get('k', async () => ({ n: 2 })), { n: 2 });
    const off = new ExpiringCache<{ n: number }>({ ...options, enabled: false });
    await off.get('k', async () => ({ n: 1 }));
    assert.deepEqual(await off.get('k', async () => ({ n: 2 })), { n: 2 });
  });

  it('forgets together with its peers, before the change is answered', async () => {
    const topics = new Map<string, ((question: unknown) => Promise<unknown>)[]>();
    const servers = [0, 1, 2].map(at => ({
      handle: (topic: string, answer: (question: unknown) => Promise<unknown>) => {
        const answers = topics.get(topic) ?? [];
        topics.set(topic, answers);
        answers[at] = answer;
      },
      request: async (topic: string, _timeoutMs: number, question?: unknown) => {
        await sleep(5);
        const others = (topics.get(topic) ?? []).filter((_, i) => i !== at);
        return Promise.all(others.map(answer => answer(JSON.parse(JSON.stringify(question)))));
      },
    }));
    const users = servers.map(peers => new ExpiringCache<{ n: number }>(sharedCache(options, peers, 'users')));
    const keys = servers.map(peers => new ExpiringCache<{ n: number }>(sharedCache(options, peers, 'keys')));
    const fill = async (n: number): Promise<void> => {
      for (const cache of [...users, ...keys]) for (const key of ['a', 'b']) await cache.get(key, async () => ({ n }));
    };
    const seen = (caches: typeof users, key: string) => caches.map(cache => cache.peek(key)?.n);
    await fill(1);
    await users[0]?.forget('a');
    assert.deepEqual(seen(users, 'a'), [undefined, undefined, undefined]);
    assert.deepEqual(seen(users, 'b'), [1, 1, 1]);
    assert.deepEqual(seen(keys, 'a'), [1, 1, 1]);
    await keys[2]?.clear();
    assert.deepEqual(seen(keys, 'b'), [undefined, undefined, undefined]);
    assert.deepEqual(seen(users, 'b'), [1, 1, 1]);
  });

  it('changes also when a peer does not answer', async () => {
    const peers = { handle: () => undefined, request: () => Promise.reject(new Error('too late')) };
    const cache = new ExpiringCache<{ n: number }>(sharedCache(options, peers, 'users'));
    await cache.get('k', async () => ({ n: 1 }));
    await cache.forget('k');
    assert.equal(cache.peek('k'), undefined);
  });
});

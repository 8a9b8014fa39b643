import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'node:test';
import { ExpiringCache } from '../src/index.js';

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

  it('forgets what changes while it is being loaded', async () => {
    const cache = new ExpiringCache<{ n: number }>(options);
    const old = cache.get('k', async () => {
      await sleep(10);
      return { n: 1 };
    });
    cache.forget('k');
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
});

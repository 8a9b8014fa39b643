import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SrvError } from '@srv/kernel';
import { rejectsWith } from '@srv/kernel/testing';
import { createKvStore, expectedBytes } from '../../src/kv/index.js';
import type { KvDriver } from '../../src/kv/index.js';

const key = Buffer.from('k');

function driver(special: Partial<KvDriver>): KvDriver {
  return {
    type: 'test',
    isShared: false,
    get: async () => undefined,
    set: async () => undefined,
    setIf: async () => true,
    delete: async () => undefined,
    scan: async function* () {},
    close: () => undefined,
    ...special,
  };
}

test('closing waits for requests under way, also for one whose caller has left, and closes the driver once', async () => {
  for (const abandonsAborted of [false, true]) {
    const steps: string[] = [];
    let answer = (): void => undefined;
    const store = createKvStore(
      driver({
        abandonsAborted,
        set: () => new Promise<void>(resolve => (answer = () => (steps.push('answered'), resolve()))),
        close: () => void steps.push('closed'),
      }),
    );
    const controller = new AbortController();
    const writing = store.set('p', key, key, controller.signal);
    controller.abort();
    if (abandonsAborted) await rejectsWith(() => writing, 'cancelled');
    const closing = [store.close(), store.close()];
    await rejectsWith(() => store.get('p', key), 'closed');
    assert.deepEqual(steps, []);
    answer();
    await Promise.all(closing);
    if (!abandonsAborted) await writing;
    assert.deepEqual(steps, ['answered', 'closed']);
  }
});

test('failures are what the driver explains; after an abort they are cancelled', async () => {
  const fails = async () => Promise.reject(new Error('as the backend puts it'));
  const explain = (error: unknown) => new SrvError('unavailable', `explained: ${String(error)}`);
  const store = createKvStore(driver({ get: fails, explain }));
  await rejectsWith(() => store.get('p', key), 'unavailable', /explained: Error: as the backend puts it/);
  const controller = new AbortController();
  const reading = store.get('p', key, controller.signal);
  controller.abort();
  await rejectsWith(() => reading, 'cancelled');
  await assert.rejects(() => createKvStore(driver({ get: fails })).get('p', key), { message: 'as the backend puts it' });
});

test('a scan that its reader leaves ends the pages of the driver', async () => {
  let ended = false;
  const store = createKvStore(
    driver({
      async *scan() {
        try {
          for (;;) yield [{ key, value: key }];
        } finally {
          ended = true;
        }
      },
    }),
  );
  for await (const page of store.scan('p')) {
    assert.equal(page.length, 1);
    break;
  }
  assert.equal(ended, true);
});

test('rejects a predicate of another store', () => {
  assert.equal(expectedBytes({ kvPredicate: key }), key);
  assert.throws(() => expectedBytes({ kvPredicate: 'an etag' }), { code: 'invalid' });
});

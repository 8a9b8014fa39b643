import { describe } from 'node:test';
import { defineKvStore } from '../../src/kv/index.js';
import { testKvStore } from '../../src/testing/index.js';
import type { KvBackend } from '../../src/kv/index.js';

type Data = Map<string, Map<string, Buffer>>;

/** The least a backend can say: everything else is derived. */
function mapBackend(data: Data): KvBackend {
  const records = (partition: string): Map<string, Buffer> => data.get(partition) ?? new Map<string, Buffer>();
  return {
    type: 'map',
    get: (partition, key) => records(partition).get(key.toString('latin1')),
    set: (partition, key, value) => void data.set(partition, records(partition).set(key.toString('latin1'), value)),
    delete: (partition, key) => void records(partition).delete(key.toString('latin1')),
    *entries(partition, start) {
      const from = start.toString('latin1');
      for (const key of [...records(partition).keys()].filter(each => each >= from).sort()) {
        const value = records(partition).get(key);
        if (value) yield { key: Buffer.from(key, 'latin1'), value };
      }
    },
  };
}

/** As a backend of many processes: compares and writes in one step, and answers late. */
function sharedBackend(data: Data): KvBackend {
  const backend = mapBackend(data);
  return {
    ...backend,
    async compareAndSet(partition, key, value, expected) {
      await new Promise(resolve => setImmediate(resolve));
      const current = await backend.get(partition, key);
      if (current === undefined || expected === undefined ? current !== expected : !current.equals(expected)) return false;
      await backend.set(partition, key, value);
      return true;
    },
  };
}

describe('defineKvStore', () => {
  for (const [name, backend] of Object.entries({ 'of one process': mapBackend, 'of many processes': sharedBackend })) {
    testKvStore(name, async () => {
      const data: Data = new Map();
      return { store: defineKvStore(backend(data)), reopen: async () => defineKvStore(backend(data)), cleanup: async () => data.clear() };
    });
  }
});

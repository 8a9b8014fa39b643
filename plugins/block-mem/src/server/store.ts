/** Objects in memory: for tests and trials; everything is lost on exit. */
import { defineBlockStore } from '@srv/lib-stores/block';
import type { BlockStore, ObjectProperties } from '@srv/lib-stores/block';

interface StoredObject {
  readonly bytes: Buffer;
  readonly facts: ObjectProperties;
}

const order = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** A store of its own: nothing is shared between two. */
export function openMemoryStore(): BlockStore {
  const objects = new Map<string, StoredObject>();
  return defineBlockStore({
    type: 'mem',
    info: { isShared: false, productionSafe: false },
    async write(address, body, facts) {
      const chunks: Buffer[] = [];
      for await (const chunk of body) chunks.push(chunk);
      objects.set(address, { bytes: Buffer.concat(chunks), facts: facts() });
    },
    read: (address, start, end) => objects.get(address)?.bytes.subarray(start, end + 1),
    properties: address => objects.get(address)?.facts,
    remove: address => void objects.delete(address),
    *list(prefix, after) {
      const found = [...objects.keys()].filter(address => address.startsWith(prefix) && order(address, after) > 0);
      for (const address of found.sort(order)) {
        const stored = objects.get(address);
        if (stored) yield { address, ...stored.facts };
      }
    },
  });
}

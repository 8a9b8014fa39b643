/** `blockstore.type: ram`: objects in memory. */
import { definePlugin } from '@srv/kernel';
import { defineBlockStore } from '@srv/lib-stores/block';
import type { ObjectProperties } from '@srv/lib-stores/block';

export default definePlugin({
  name: 'block-ram',
  apply: ({ hooks }) => hooks.openBlockStore.for('ram').tapPromise('block-ram', async () => openRam()),
});

export function openRam() {
  const objects = new Map<string, { readonly bytes: Buffer; readonly facts: ObjectProperties }>();
  return defineBlockStore({
    type: 'ram',
    info: { productionSafe: false },
    async write(address, body, facts) {
      const chunks: Buffer[] = [];
      for await (const chunk of body) chunks.push(chunk);
      objects.set(address, { bytes: Buffer.concat(chunks), facts: facts() });
    },
    read: (address, start, end) => objects.get(address)?.bytes.subarray(start, end + 1),
    properties: address => objects.get(address)?.facts,
    remove: address => void objects.delete(address),
    *list(prefix, after) {
      const inOrder = [...objects].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      for (const [address, { facts }] of inOrder)
        if (address.startsWith(prefix) && Buffer.compare(Buffer.from(address), Buffer.from(after)) > 0) yield { address, ...facts };
    },
  });
}

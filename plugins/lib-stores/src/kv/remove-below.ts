/** Removal of all records below a prefix. */
import type { KvStore } from '@srv/kernel';

/** Records removed at a time. */
const batch = 256;

/** Removes every record of the partition whose key begins with `prefix`; empty: all. Called again it continues. */
export async function removeBelow(kv: KvStore, partition: string, prefix: Buffer): Promise<void> {
  for await (const page of kv.scan(partition, { start: prefix, batchSize: batch })) {
    for (let at = 0; at < page.length; at += batch) {
      const keys = page.slice(at, at + batch).map(({ key }) => key);
      const inside = keys.filter(key => key.subarray(0, prefix.length).equals(prefix));
      await Promise.all(inside.map(key => kv.delete(partition, key)));
      if (inside.length < keys.length) return;
    }
  }
}

/** Partitions that hold records of this plugin: of repositories, and of the uncommitted changes their branches name. */
import { partitionOf } from '@srv/lib-records';
import { decodeBranch, decodeRepository } from './messages/index.js';
import type { KvStore } from '@srv/kernel';

const branchPrefix = Buffer.from('branches/');

/** @throws SrvError `corrupt` for a record that cannot be read. */
export async function findPartitions(kv: KvStore, found: (partition: string) => void): Promise<void> {
  for (const name of ['graveler', 'cleanup-tokens']) found(name);
  for await (const page of kv.scan('graveler', { start: Buffer.from('repos/') }))
    for (const { key, value } of page) {
      if (!key.toString('utf8').startsWith('repos/')) return;
      const partition = partitionOf(decodeRepository(value));
      found(partition);
      for await (const { stagingToken, sealedTokens } of branchesIn(kv, partition))
        for (const token of [stagingToken, ...sealedTokens]) if (token !== '') found(token);
    }
}

async function* branchesIn(kv: KvStore, partition: string) {
  for await (const page of kv.scan(partition, { start: branchPrefix }))
    for (const { key, value } of page) {
      if (!key.subarray(0, branchPrefix.length).equals(branchPrefix)) return;
      yield decodeBranch(value);
    }
}

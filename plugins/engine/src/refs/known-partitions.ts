/** Partitions that hold records of this plugin: of repositories, and of the uncommitted changes their branches name. */
import { partitionOf, recordsBelow } from '@srv/lib-records';
import { decodeBranch, decodeRepository } from './messages/index.js';
import type { KvStore } from '@srv/kernel';

/** @throws SrvError `corrupt` for a record that cannot be read. */
export async function findPartitions(kv: KvStore, found: (partition: string) => void): Promise<void> {
  for (const name of ['graveler', 'cleanup-tokens']) found(name);
  for await (const { value: repository } of recordsBelow(kv, 'graveler', 'repos/')) {
    const partition = partitionOf(decodeRepository(repository));
    found(partition);
    for await (const { value: branch } of recordsBelow(kv, partition, 'branches/')) {
      const { stagingToken, sealedTokens } = decodeBranch(branch);
      for (const token of [stagingToken, ...sealedTokens]) if (token !== '') found(token);
    }
  }
}

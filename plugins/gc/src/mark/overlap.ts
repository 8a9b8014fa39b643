/** Whether a namespace is one repository's alone. Objects of another one would be garbage to a collector of this one. */
import { SrvError } from '@srv/kernel';
import { knownRoot, namespaceOf, storageRoot } from '@srv/lib-stores/block';
import type { Repository } from '@srv/engine/contract';
import type { BlockStore } from '@srv/lib-stores/block';

/** @throws SrvError `conflict` that names the other repository, one in deletion included. */
export async function refuseOverlap(
  block: Pick<BlockStore, 'resolve'>,
  repository: Pick<Repository, 'id' | 'instanceUid' | 'storageNamespace' | 'storageId'>,
  all: AsyncIterable<Repository>,
): Promise<void> {
  const { id, instanceUid, storageNamespace } = repository;
  const own = storageRoot(block, namespaceOf(repository));
  for await (const other of all) {
    if (other.instanceUid === instanceUid) continue;
    const root = knownRoot(block, namespaceOf(other));
    if (own.startsWith(root) || root.startsWith(own))
      throw new SrvError(
        'conflict',
        `the storage namespace ${storageNamespace} of ${id || 'the deleted repository'} overlaps ${other.storageNamespace} of repository ${other.id}; neither can be collected`,
        { details: { repository: other.id } },
      );
  }
}

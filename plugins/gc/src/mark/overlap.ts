/** Whether a namespace is one repository's alone. Objects of another one would be garbage to a collector of this one. */
import { SrvError } from '@srv/kernel';
import { identifierType } from '@srv/lib-stores/block';
import type { Repository } from '@srv/engine/contract';
import type { BlockStore } from '@srv/lib-stores/block';

/** What addresses of everything in a namespace begin with, as the store writes them. */
export function rootOf(block: Pick<BlockStore, 'resolve'>, namespace: string): string {
  const name = 'x';
  return block.resolve({ namespace, identifier: name, identifierType: identifierType.relative }).slice(0, -name.length);
}

/** @throws SrvError `conflict` that names the other repository, one in deletion included. */
export async function refuseOverlap(
  block: Pick<BlockStore, 'resolve'>,
  { id, instanceUid, storageNamespace }: Pick<Repository, 'id' | 'instanceUid' | 'storageNamespace'>,
  all: AsyncIterable<Repository>,
): Promise<void> {
  const own = rootOf(block, storageNamespace);
  for await (const other of all) {
    if (other.instanceUid === instanceUid) continue;
    const root = foreignRoot(block, other.storageNamespace);
    if (own.startsWith(root) || root.startsWith(own))
      throw new SrvError(
        'conflict',
        `the storage namespace ${storageNamespace} of ${id || 'the deleted repository'} overlaps ${other.storageNamespace} of repository ${other.id}; neither can be collected`,
        { details: { repository: other.id } },
      );
  }
}

/** Namespaces of another kind of store cannot overlap; they are compared as they are. */
function foreignRoot(block: Pick<BlockStore, 'resolve'>, namespace: string): string {
  try {
    return rootOf(block, namespace);
  } catch {
    return namespace.endsWith('/') ? namespace : `${namespace}/`;
  }
}

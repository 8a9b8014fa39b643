/** Where files of garbage collection lie in a storage namespace. */
import { identifierType, namespaceOf } from '@srv/lib-stores/block';
import type { CommittedStore, Repository } from '@srv/engine/contract';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';

/** A file below the server's own folder `retention/gc/`. */
export async function retentionFile(
  committed: Pick<CommittedStore, 'folderOf'>,
  repository: Repository,
  name: string,
): Promise<ObjectPointer> {
  return inNamespace(repository, `${await committed.folderOf(namespaceOf(repository))}/retention/gc/${name}`);
}

/** Any key of a repository's namespace. */
export function inNamespace(repository: Pick<Repository, 'storageNamespace' | 'storageId'>, identifier: string): ObjectPointer {
  return { namespace: namespaceOf(repository), identifier, identifierType: identifierType.relative };
}

/** Full URI of a folder of the namespace, as the store writes it. */
export function folderUri(block: Pick<BlockStore, 'resolve'>, pointer: ObjectPointer): string {
  const probe = block.resolve({ ...pointer, identifier: `${pointer.identifier}x` });
  return probe.slice(0, -1);
}

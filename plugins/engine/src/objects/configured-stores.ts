/** Whether the block stores of the configuration hold what the database refers to. */
import { SrvError } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Repository } from '../refs/contract.js';

/** Repositories named in the message. */
const shown = 5;

/** @throws SrvError `config` when a repository belongs to a store that is not configured. */
export async function checkStores({ stores }: BlockStore, repositories: AsyncIterable<Repository>): Promise<void> {
  const ids = new Set(stores === undefined ? [''] : stores.flatMap(({ id, isDefault }) => (isDefault ? [id, ''] : [id])));
  const homeless: Repository[] = [];
  for await (const repository of repositories) {
    if (ids.has(repository.storageId)) continue;
    homeless.push(repository);
    if (homeless.length === shown) break;
  }
  if (homeless.length === 0) return;
  const list = homeless.map(({ id, storageId }) => `${id} (${storageId === '' ? 'no storage id' : storageId})`).join(', ');
  const remedy =
    stores === undefined
      ? 'this server has a single blockstore; configure their stores in blockstores.stores'
      : `blockstores.stores has ${stores.map(({ id }) => id).join(', ')}; add the missing store, or mark the one that holds repositories without a storage id with backward_compatible: true`;
  throw new SrvError('config', `repositories belong to block stores that are not configured: ${list}; ${remedy}`);
}

/** Keeps repositories in the region of the server (block-storage sheet, section 4). */
import { SrvError, messageOf } from '@srv/kernel';
import type { BlockStore } from '@srv/lib-stores/block';

/**
 * Passes for stores without regions.
 * @throws SrvError `invalid` when the namespace is in another region, or its region cannot be determined.
 */
export async function checkRegion(namespace: string, store: Pick<BlockStore, 'info' | 'region'>): Promise<void> {
  const own = store.info.region;
  if (own === undefined || store.region === undefined) return;
  let found: string;
  try {
    found = await store.region(namespace);
  } catch (error) {
    throw new SrvError('invalid', `failed to get region of storage namespace ${namespace}: ${messageOf(error)}: invalid namespace`, {
      cause: error,
    });
  }
  if (found === own) return;
  throw new SrvError(
    'invalid',
    `namespace region ("${found}") does not match block region ("${own}"): invalid namespace; use a bucket in ${own} or set installation.allow_inter_region_storage`,
  );
}

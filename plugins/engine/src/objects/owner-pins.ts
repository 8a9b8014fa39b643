/**
 * Pins of full addresses, such as those of shallow copies. The collector of a repository reads its own pins only, so an
 * address is also pinned in the repository whose object it is.
 */
import { isSrvError } from '@srv/kernel';
import type { Engine } from '../contract.js';
import type { PinnedContent, Repository } from '../refs/contract.js';
import type { Refs } from '../refs/service.js';

/** `withPins` of the engine. @param owners names the repositories whose namespaces an address may touch. */
export function pinningOwners(
  { withPins, getRepository }: Pick<Refs, 'withPins' | 'getRepository'>,
  owners: Engine['repositoriesTouching'],
): Engine['withPins'] {
  /** Those of which something may be collected. */
  async function others(repository: Repository, addresses: readonly string[]): Promise<Repository[]> {
    const found: Repository[] = [];
    for (const id of (await owners(addresses)).keys()) {
      const owner = await getRepository(id).catch((error: unknown) => {
        if (isSrvError(error, 'not_found', 'gone')) return undefined;
        throw error;
      });
      if (owner && owner.instanceUid !== repository.instanceUid) found.push(owner);
    }
    return found;
  }

  return async (repository: Repository, content: PinnedContent, work) => {
    const addresses = (content.addresses ?? []).filter(address => address.includes('://'));
    let pinned = work;
    if (addresses.length > 0)
      for (const owner of await others(repository, addresses)) {
        const inner = pinned;
        pinned = () => withPins(owner, { addresses }, inner);
      }
    return withPins(repository, content, pinned);
  };
}

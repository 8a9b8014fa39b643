/** Which repositories have their objects at an address of the block store. */
import { knownRoots, namespaceOf } from '@srv/lib-stores/block';
import { spellingsOf } from './namespace-check.js';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Engine } from '../contract.js';
import type { Refs } from '../refs/service.js';
import type { MoveRecords } from './storage-move/move-record.js';

interface RepositoryPlacesOptions {
  readonly refs: Pick<Refs, 'repositories'>;
  readonly moves: Pick<MoveRecords, 'all'>;
  readonly block: BlockStore;
}

export function createRepositoryPlaces({ refs, moves, block }: RepositoryPlacesOptions) {
  /** What a move has left is read like what it belongs to. */
  async function* left() {
    for await (const { repository, places } of moves.all())
      yield { repository, roots: places.flatMap(place => knownRoots(block, namespaceOf(place))) };
  }

  return {
    async repositoriesAt(address) {
      const spellings = spellingsOf(block, address);
      const has = (root: string): boolean => spellings.some(at => at.startsWith(root));
      const found = new Set<string>();
      for await (const repository of refs.repositories(''))
        if (knownRoots(block, namespaceOf(repository)).some(has)) found.add(repository.id);
      if (found.size > 0) return [...found];
      for await (const { repository, roots } of left()) if (roots.some(has)) found.add(repository);
      return [...found];
    },
    async repositoriesTouching(addresses) {
      const spelled = addresses.map(address => ({ address, spellings: spellingsOf(block, address, true) }));
      const found = new Map<string, string>();
      const note = (repository: string, roots: readonly string[]): void => {
        const touches = (at: string): boolean => roots.some(root => at.startsWith(root) || root.startsWith(at));
        const first = spelled.find(({ spellings }) => spellings.some(touches));
        if (first && !found.has(repository)) found.set(repository, first.address);
      };
      for await (const repository of refs.repositories('')) note(repository.id, knownRoots(block, namespaceOf(repository)));
      for await (const { repository, roots } of left()) note(repository, roots);
      return found;
    },
  } satisfies Partial<Engine>;
}

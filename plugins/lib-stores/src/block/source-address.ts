/** Sources and storage namespaces, compared by the addresses that the store lists, in the spelling of the store. */
import { identifierType } from './contract.js';
import { withSlash } from './storage-roots.js';
import type { BlockStore } from './contract.js';

type Store = Pick<BlockStore, 'info' | 'resolve'>;

const probe = 'x';

/** What the addresses begin with that a walk of `source` lists. @throws SrvError `invalid` for an address of another store. */
export function listedBy(block: Store, source: string): string {
  const segments = source.slice(source.indexOf('://') + '://'.length).split('/').length;
  const start = segments <= (block.info.wholeSegments ?? 1) ? withSlash(source) : source;
  return addressOf(block, start + probe).slice(0, -probe.length);
}

/** A full address in the spelling of the store. @throws SrvError `invalid` for an address of another store. */
export function addressOf(block: Store, address: string): string {
  return block.resolve({ namespace: address, identifier: address, identifierType: identifierType.full });
}

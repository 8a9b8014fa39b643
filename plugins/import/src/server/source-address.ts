/** Sources and storage namespaces, compared by the addresses that the store lists, in the spelling of the store. */
import { identifierType } from '@srv/lib-block-store';
import type { BlockStore } from '@srv/lib-block-store';

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

/** What addresses of the objects in a namespace begin with, in the spelling of the store; ends with a slash. */
export function storageRoot(block: Store, namespace: string): string {
  return block.resolve({ namespace, identifier: probe, identifierType: identifierType.relative }).slice(0, -probe.length);
}

/** {@link storageRoot} and the namespace as configured, which users name, too: a local one is a folder somewhere. */
export function storageRoots(block: Store, namespace: string): readonly string[] {
  return [withSlash(namespace), storageRoot(block, namespace)];
}

export function withSlash(address: string): string {
  return address.endsWith('/') ? address : `${address}/`;
}

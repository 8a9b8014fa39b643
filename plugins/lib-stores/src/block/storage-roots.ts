/** What addresses of the objects in a storage namespace begin with. */
import { identifierType } from './contract.js';
import type { BlockStore } from './contract.js';

type Resolving = Pick<BlockStore, 'resolve'>;

const probe = 'x';

/** In the spelling of the store; ends with a slash. @throws SrvError `invalid` for a namespace of another store. */
export function storageRoot(block: Resolving, namespace: string): string {
  return block.resolve({ namespace, identifier: probe, identifierType: identifierType.relative }).slice(0, -probe.length);
}

/** {@link storageRoot} and the namespace as configured, which users name, too: a local one is a folder somewhere. */
export function storageRoots(block: Resolving, namespace: string): readonly string[] {
  return [withSlash(namespace), storageRoot(block, namespace)];
}

export function withSlash(address: string): string {
  return address.endsWith('/') ? address : `${address}/`;
}

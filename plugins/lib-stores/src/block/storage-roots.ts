/** What addresses of the objects in a storage namespace begin with. */
import { identifierType } from './contract.js';
import { inStoreOf, splitNamespace } from './namespaces.js';
import type { BlockStore } from './contract.js';

type Resolving = Pick<BlockStore, 'resolve'>;

const probe = 'x';

/** In the spelling of the store; ends with a slash. @throws SrvError `invalid` for a namespace of another store. */
export function storageRoot(block: Resolving, namespace: string): string {
  return block.resolve({ namespace, identifier: probe, identifierType: identifierType.relative }).slice(0, -probe.length);
}

/** {@link storageRoot} and the namespace as configured, which users name, too: a local one is a folder somewhere. */
export function storageRoots(block: Resolving, namespace: string): readonly string[] {
  return [withSlash(splitNamespace(namespace).storageNamespace), storageRoot(block, namespace)];
}

/** {@link storageRoot} of an existing repository. Its store may have been replaced in the configuration: its namespace then serves as it is. */
export function knownRoot(block: Resolving, namespace: string): string {
  try {
    return storageRoot(block, namespace);
  } catch {
    return withSlash(splitNamespace(namespace).storageNamespace);
  }
}

/** {@link storageRoots} of an existing repository, as {@link knownRoot} has it. */
export function knownRoots(block: Resolving, namespace: string): readonly string[] {
  return [...new Set([withSlash(splitNamespace(namespace).storageNamespace), knownRoot(block, namespace)])];
}

/** What a walk takes to list a folder of a namespace. @param folder empty, or with a slash at its end. */
export function walkUri(block: Resolving, namespace: string, folder: string): string {
  return inStoreOf(namespace, storageRoot(block, namespace) + folder);
}

export function withSlash(address: string): string {
  return address.endsWith('/') ? address : `${address}/`;
}

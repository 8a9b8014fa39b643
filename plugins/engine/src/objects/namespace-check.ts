/** Whether a storage namespace may take a new repository (block storage, section 4). */
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import { fitsStorePattern, identifierType, storageRoot, storageRoots, withSlash } from '@srv/lib-stores/block';
import type { Logger } from '@srv/kernel';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';
import type { Repository } from '../refs/contract.js';

/** Content of the object that marks a namespace as taken, as existing installations wrote it. */
const marker = Buffer.from('this is dummy data - created by lakeFS to check accessibility');
const markerName = 'dummy';
/** Metadata folders of this product and of the installations it is compatible with. */
const knownPrefixes = ['_srv', '_lakefs'];

interface NamespaceCheckOptions {
  readonly block: BlockStore;
  readonly log: Logger;
  /** Metadata folder. */
  readonly prefix: string;
  readonly checkRoot: boolean;
}

/** @throws SrvError `invalid` unless the namespace has the form the store wants. */
export function checkNamespaceForm({ info }: BlockStore, namespace: string): void {
  if (!fitsStorePattern(info.namespacePattern, namespace)) {
    throw new SrvError(
      'invalid',
      `storage namespace ${JSON.stringify(namespace)}: failed to match required regex ${info.namespacePattern}: invalid namespace; use something like ${info.namespaceExample}`,
    );
  }
}

/** @throws SrvError `invalid` when another repository is in, above or below the namespace, however it is spelled. */
export async function checkOverlap(block: BlockStore, namespace: string, repositories: AsyncIterable<Repository>): Promise<void> {
  const wanted = storageRoot(block, namespace);
  for await (const { id, storageNamespace, readOnly } of repositories) {
    const taken = rootOf(block, storageNamespace);
    if (!readOnly && (taken.startsWith(wanted) || wanted.startsWith(taken))) throw inUse(`it overlaps the namespace of repository ${id}`);
  }
}

/** Root of an existing repository. Its store may have been replaced in the configuration: its namespace then serves as it is. */
function rootOf(block: BlockStore, namespace: string): string {
  try {
    return storageRoot(block, namespace);
  } catch {
    return withSlash(namespace);
  }
}

/** What addresses in the namespace of an existing repository begin with, in every spelling. */
export function rootsOf(block: BlockStore, namespace: string): readonly string[] {
  try {
    return storageRoots(block, namespace);
  } catch {
    return [withSlash(namespace)];
  }
}

/** An address as given, and as the store spells it. */
export function spellingsOf(block: BlockStore, address: string): readonly string[] {
  try {
    return [address, block.resolve({ namespace: address, identifier: address, identifierType: identifierType.full })];
  } catch {
    return [address];
  }
}

/** Looks for the marks of another repository, then leaves its own. @throws SrvError `invalid`. */
export async function claimNamespace(namespace: string, { block, log, prefix, checkRoot }: NamespaceCheckOptions): Promise<void> {
  const at = (identifier: string): ObjectPointer => ({ namespace, identifier, identifierType: identifierType.relative });
  try {
    const marks = [...new Set([prefix, ...knownPrefixes])].map(folder => `${folder}/${markerName}`);
    for (const mark of checkRoot ? [markerName, ...marks] : marks) {
      if (await block.exists(at(mark))) throw inUse(`found objects of another repository in the storage (${mark})`);
    }
    const own = at(`${prefix}/${markerName}`);
    await block.put(own, marker, { size: marker.length });
    for await (const _ of await block.get(own)) break;
  } catch (error) {
    if (isSrvError(error) && error.message.includes('already in use')) throw error;
    log.warn({ storage_namespace: namespace, error: messageOf(error) }, 'storage namespace check failed');
    const reason = isSrvError(error, 'invalid') ? messageOf(error) : 'failed to access storage';
    throw new SrvError('invalid', `failed to create repository: ${reason}`, { cause: error });
  }
}

function inUse(reason: string): SrvError {
  return new SrvError('invalid', `failed to create repository: ${reason}: storage namespace already in use`);
}

/** Whether a storage namespace may take a new repository (block storage, section 4). */
import { SrvError, isSrvError, messageOf } from '@srv/kernel';
import {
  addressOf,
  fitsStorePattern,
  identifierType,
  knownRoot,
  listedBy,
  namespaceOf,
  splitNamespace,
  storageRoot,
  storeOf,
} from '@srv/lib-stores/block';
import type { Logger } from '@srv/kernel';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';
import type { Repository } from '../refs/contract.js';

/** Content of the object that marks a namespace as taken, as existing installations wrote it. */
const marker = Buffer.from('this is dummy data - created by lakeFS to check accessibility');
const markerName = 'dummy';
/** Metadata folders of this product and of the installations it is compatible with. */
const knownPrefixes = ['_srv', '_lakefs'];

export interface Reservation {
  isMade(): Promise<boolean>;
  make(): Promise<unknown>;
}

interface NamespaceCheckOptions {
  readonly block: BlockStore;
  readonly log: Logger;
  /** Metadata folder. */
  readonly prefix: string;
  readonly checkRoot: boolean;
  /** What fails, for messages. Default: `create repository`. */
  readonly task?: string;
  /** Says who claims the namespace: a claim that was interrupted after it may be repeated. */
  readonly reservation?: Reservation;
}

/** @throws SrvError `invalid` when no store of that id is configured, or none is the default one where the id is empty. */
export function checkStorageId({ stores }: BlockStore, storageId: string): void {
  const ids = stores?.map(({ id }) => id) ?? [];
  if (stores === undefined ? storageId === '' : ids.includes(storageId)) return;
  if (stores?.some(({ isDefault }) => isDefault) && storageId === '') return;
  const remedy = stores === undefined ? 'this server has one block store, whose id is empty' : `choose one of ${ids.join(', ')}`;
  throw new SrvError('invalid', `storage id: invalid value: ${JSON.stringify(storageId)}; ${remedy}`);
}

/** @throws SrvError `invalid` unless the namespace has the form the store wants. */
export function checkNamespaceForm(block: BlockStore, namespace: string): void {
  const { info } = storeOf(block, namespace);
  const { storageNamespace } = splitNamespace(namespace);
  if (!fitsStorePattern(info.namespacePattern, storageNamespace)) {
    throw new SrvError(
      'invalid',
      `storage namespace ${JSON.stringify(storageNamespace)}: failed to match required regex ${info.namespacePattern}: invalid namespace; use something like ${info.namespaceExample}`,
    );
  }
}

/**
 * Of several stores, all are looked at: two may lead to the same place.
 * @throws SrvError `invalid` when another repository is in, above or below the namespace, however it is spelled.
 */
export async function checkOverlap(
  block: BlockStore,
  namespace: string,
  repositories: AsyncIterable<Repository>,
  task?: string,
): Promise<void> {
  const wanted = storageRoot(block, namespace);
  for await (const repository of repositories) {
    const { id, readOnly } = repository;
    const taken = knownRoot(block, namespaceOf(repository));
    if (!readOnly && (taken.startsWith(wanted) || wanted.startsWith(taken)))
      throw inUse(`it overlaps the namespace of repository ${id}`, task);
  }
}

/**
 * An address as given, and as the stores spell it.
 * @param isPrefix of the addresses below it, of which it may name no object.
 */
export function spellingsOf(block: BlockStore, address: string, isPrefix = false): readonly string[] {
  const stores = block.stores?.map(({ store }) => store) ?? [block];
  const spell = isPrefix ? [addressOf, listedBy] : [addressOf];
  const spelled = stores.flatMap(store =>
    spell.flatMap(of => {
      try {
        return [of(store, address)];
      } catch {
        // One of another store, or of none.
        return [];
      }
    }),
  );
  return [...new Set([address, ...spelled])];
}

/** Looks for the marks of another repository, then leaves its own. @throws SrvError `invalid`. */
export async function claimNamespace(
  namespace: string,
  { block, log, prefix, checkRoot, task = 'create repository', reservation }: NamespaceCheckOptions,
): Promise<void> {
  const at = (identifier: string): ObjectPointer => ({ namespace, identifier, identifierType: identifierType.relative });
  const accessing = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (isSrvError(error) && error.message.includes('already in use')) throw error;
      log.warn({ storage_namespace: namespace, error: messageOf(error) }, 'storage namespace check failed');
      const reason = isSrvError(error, 'invalid') ? messageOf(error) : 'failed to access storage';
      throw new SrvError('invalid', `failed to ${task}: ${reason}`, { cause: error });
    }
  };
  const isReserved = (await reservation?.isMade()) === true;
  if (!isReserved) {
    const marks = [...new Set([prefix, ...knownPrefixes])].map(folder => `${folder}/${markerName}`);
    await accessing(async () => {
      for (const mark of checkRoot ? [markerName, ...marks] : marks)
        if (await block.exists(at(mark))) throw inUse(`found objects of another repository in the storage (${mark})`, task);
    });
    await reservation?.make();
  }
  await accessing(async () => {
    const own = at(`${prefix}/${markerName}`);
    await block.put(own, marker, { size: marker.length });
    for await (const _ of await block.get(own)) break;
  });
}

function inUse(reason: string, task = 'create repository'): SrvError {
  return new SrvError('invalid', `failed to ${task}: ${reason}: storage namespace already in use`);
}

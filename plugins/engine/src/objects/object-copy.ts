/**
 * Copying an object to another path. Where it can, the new entry names the same stored object; README.md says why garbage
 * collection cannot remove that in between.
 */
import { SrvError } from '@srv/kernel';
import { identifierType, namespaceOf, storeOf } from '@srv/lib-stores/block';
import { pointerOf } from './entries.js';
import { readEntry } from './object-reads.js';
import { ObjectStaging } from './object-staging.js';
import { demandBytes } from './present-bytes.js';
import type { Logger } from '@srv/kernel';
import type { Engine } from '../contract.js';
import type { Repository } from '../refs/contract.js';
import type { AddressProvider } from './addresses.js';
import type { CopyRequest, Entry } from './contract.js';
import type { EntryRecord } from './entry-record.js';
import type { ObjectStores } from './object-reads.js';

interface ObjectCopiesOptions extends ObjectStores {
  readonly log: Logger;
  readonly addresses: AddressProvider;
}

interface Copy {
  readonly repository: Repository;
  readonly destination: { readonly branch: string; readonly path: string };
  readonly origin: Repository;
  readonly source: { readonly ref: string; readonly path: string };
  readonly request: CopyRequest;
}

/** How often an object that changes while it is copied is looked at again. */
const tries = 3;

export function createObjectCopies(options: ObjectCopiesOptions) {
  const { refs, block, addresses } = options;
  const staging = new ObjectStaging(options);
  const read = ({ origin, source }: Copy): Promise<Entry> => readEntry(origin, source.ref, source.path, options);

  /** @returns `undefined` for an object that lies outside the storage namespace: its copy is to be the repository's own. */
  async function share(copy: Copy): Promise<Entry | undefined> {
    const { repository, destination, origin, request } = copy;
    for (let left = tries; left > 0; left--) {
      const entry = await read(copy);
      if (entry.addressType !== identifierType.relative) return undefined;
      const staged = await refs.withPins(origin, { addresses: [entry.address] }, async () => {
        // Now nothing can remove it.
        const now = await read(copy);
        if (now.address !== entry.address) return undefined;
        request.checkSource?.(now);
        await demandBytes(block, origin, [now]);
        const place = isWithin(copy)
          ? { address: now.address, addressType: now.addressType }
          : { address: now.physicalAddress, addressType: identifierType.full };
        return staging.stage({ repository, ...destination, record: { ...recordOf(now, request), ...place } }, request);
      });
      if (staged) return staged;
    }
    const { path } = copy.source;
    throw new SrvError('conflict', `${path} was changed while it was copied; repeat the operation`, { details: { path } });
  }

  async function duplicate(copy: Copy): Promise<Entry> {
    const { repository, destination, origin, request } = copy;
    const entry = await read(copy);
    request.checkSource?.(entry);
    const place = { address: addresses.next(), addressType: identifierType.relative };
    await block.copy(pointerOf(origin, entry), pointerOf(repository, place), request.signal);
    return staging.stageNew({ repository, ...destination, record: { ...recordOf(entry, request), ...place } }, request);
  }

  return {
    async copyObject(id, { repository: from, ...source }, destination, request = {}) {
      const repository = await refs.getRepository(id);
      await staging.checkWrite(repository, destination.branch, destination.path, request);
      const origin = from === undefined ? repository : await refs.getRepository(from);
      const copy = { repository, destination, origin, source, request };
      if (!isWithin(copy) && request.shallow) checkSameStore(copy);
      const shared = isWithin(copy) || request.shallow ? await share(copy) : undefined;
      return shared ?? duplicate(copy);
    },
  } satisfies Partial<Engine>;

  function checkSameStore({ repository, origin }: Copy): void {
    if (storeOf(block, namespaceOf(repository)) === storeOf(block, namespaceOf(origin))) return;
    throw new SrvError(
      'invalid',
      `shallow: repositories ${origin.id} and ${repository.id} are in different block stores; copy the data instead`,
    );
  }
}

function isWithin({ repository, origin }: Pick<Copy, 'repository' | 'origin'>): boolean {
  return origin.instanceUid === repository.instanceUid;
}

/** Of the copy, without its place. */
function recordOf(entry: Entry, { describe }: CopyRequest): Omit<EntryRecord, 'address' | 'addressType'> {
  const { path: _, physicalAddress: __, address: ___, addressType: ____, ...facts } = entry;
  return { ...facts, ...describe?.(entry), lastModified: new Date(), lastModifiedNanos: 0 };
}

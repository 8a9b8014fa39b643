/** Stored records as entries, with their place in the block store. */

import { namespaceOf } from '@srv/lib-stores/block';
import { decodeEntry } from './entry-record.js';
import type { BlockStore, ObjectPointer } from '@srv/lib-stores/block';
import type { Repository, StoredValue } from '../refs/contract.js';
import type { Entry } from './contract.js';
import type { EntryRecord } from './entry-record.js';

/** Content type of objects stored without one. */
export const defaultContentType = 'application/octet-stream';

/** Where the bytes of a record are. */
export function pointerOf(repository: Repository, { address, addressType }: Pick<EntryRecord, 'address' | 'addressType'>): ObjectPointer {
  return { namespace: namespaceOf(repository), identifier: address, identifierType: addressType };
}

export function entryOf(block: BlockStore, repository: Repository, path: string, record: EntryRecord): Entry {
  // Member by member: listings make these by the thousand, and copying an object takes much longer.
  return {
    path,
    address: record.address,
    addressType: record.addressType,
    lastModified: record.lastModified,
    size: record.size,
    etag: record.etag,
    metadata: record.metadata,
    contentType: record.contentType || defaultContentType,
    physicalAddress: block.resolve(pointerOf(repository, record)),
  };
}

/** @throws SrvError `corrupt`. */
export function entryFrom(block: BlockStore, repository: Repository, path: string, { data }: StoredValue): Entry {
  return entryOf(block, repository, path, decodeEntry(data));
}

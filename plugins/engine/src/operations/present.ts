/** Engine records as the API shows them. */
import { toSeconds } from '@srv/lib-api';
import type { BlockStore } from '@srv/lib-stores/block';
import type { Branch, DiffItem, Entry, ListItem, Repository, Tag, Task } from '../contract.js';
import type * as wire from './wire.js';

/** @param block says the id of the store of repositories that bear none. */
export function presentRepository(repository: Repository, block: BlockStore): wire.Repository {
  const { id, creationDate, defaultBranch, storageId, storageNamespace, readOnly } = repository;
  return {
    id,
    creation_date: toSeconds(creationDate),
    default_branch: defaultBranch,
    storage_id: storageId || (block.stores?.find(({ isDefault }) => isDefault)?.id ?? ''),
    storage_namespace: storageNamespace,
    read_only: readOnly,
  };
}

export function presentRef({ id, commitId }: Branch | Tag): wire.Ref {
  return { id, commit_id: commitId };
}

export function presentEntry(entry: Entry): wire.ObjectStats {
  return {
    path: entry.path,
    path_type: 'object',
    physical_address: entry.physicalAddress,
    checksum: entry.etag,
    size_bytes: entry.size,
    mtime: toSeconds(entry.lastModified),
    metadata: entry.metadata,
    content_type: entry.contentType,
  };
}

/** Prefixes carry empty values in fields that clients require of everything in the list. */
export function presentListItem(item: ListItem, userMetadata: boolean): wire.ObjectStats {
  if (item.kind === 'common_prefix') return { path: item.path, path_type: 'common_prefix', physical_address: '', checksum: '', mtime: 0 };
  const { entry } = item;
  // Member by member: to leave one out of a copy takes longer than all the rest of a page.
  const stats: wire.ObjectStats = {
    path: entry.path,
    path_type: 'object',
    physical_address: entry.physicalAddress,
    checksum: entry.etag,
    size_bytes: entry.size,
    mtime: toSeconds(entry.lastModified),
    content_type: entry.contentType,
  };
  return userMetadata && Object.keys(entry.metadata).length > 0 ? { metadata: entry.metadata, ...stats } : stats;
}

export function presentDiff({ type, kind, path, entry }: DiffItem, rightStats: boolean): wire.Diff {
  const base = { type, path, path_type: kind };
  if (kind === 'common_prefix' || !entry) return base;
  const right = { checksum: entry.etag, mtime: toSeconds(entry.lastModified), content_type: entry.contentType, metadata: entry.metadata };
  return { size_bytes: entry.size, ...base, right: rightStats ? right : undefined };
}

/** Of an uncommitted change. The standard says that an object that was removed has no bytes. */
export function presentChange(item: DiffItem, rightStats: boolean): wire.Diff {
  const presented = presentDiff(item, rightStats);
  return item.type === 'removed' && item.kind === 'object' ? { ...presented, size_bytes: 0 } : presented;
}

export function presentTask({ id, done, updatedAt, error, statusCode }: Task) {
  return {
    task_id: id,
    completed: done,
    update_time: updatedAt.toISOString(),
    error: error === undefined ? undefined : { message: error },
    status_code: statusCode,
  };
}

/** The remote side of a linked directory: objects below a prefix, at a commit or on a branch. */

import { clientMtime, isIgnoredPath, readPermissions, targetPath } from '@srv/engine/transfer';
import { everything } from '@srv/lib-commands';
import { linkTarget } from './symbolic-links.js';
import type { Client, ObjectStats as ObjectRecord } from '@srv/engine/client';
import type { Permissions } from '@srv/engine/transfer';

export interface RemoteEntry {
  /** Below the prefix; of a folder with `/` at the end. */
  readonly path: string;
  /** Path of the object. */
  readonly object: string;
  readonly checksum: string;
  readonly size: number;
  /** Unix seconds: of the file it was uploaded from, else of the object. */
  readonly mtime: number;
  readonly permissions?: Permissions | undefined;
  /** Target, if it represents a symbolic link. */
  readonly link?: string | undefined;
}

export interface RemoteTree {
  readonly api: Client;
  readonly repository: string;
  /** Empty, or ends with `/`. */
  readonly prefix: string;
  /** The linked directory, for messages. */
  readonly folder: string;
  /** Yield objects that represent folders, too. */
  readonly folders: boolean;
  /** Detect objects that represent symbolic links. */
  readonly links: boolean;
}

/**
 * In the order of the listing.
 * @param ref a branch: with its uncommitted changes.
 * @throws Error for an object that cannot be a file below the directory, such as `../x`.
 */
export async function* listTree({ api, repository, prefix, folder, folders, links }: RemoteTree, ref: string): AsyncGenerator<RemoteEntry> {
  for await (const found of everything(page => api.listObjects({ repository, ref, prefix, user_metadata: true, ...page }))) {
    const entry = remoteEntry(found, prefix, links);
    if (entry.path === '' || isIgnoredPath(entry.path)) continue;
    if (entry.path.endsWith('/') && entry.size === 0) {
      if (!folders) continue;
      targetPath(folder, entry.path.slice(0, -1));
    } else targetPath(folder, entry.path);
    yield entry;
  }
}

function remoteEntry({ path, checksum, size_bytes: size = 0, mtime, metadata }: ObjectRecord, prefix: string, links: boolean): RemoteEntry {
  const permissions = readPermissions(metadata);
  const link = links ? linkTarget(metadata) : undefined;
  return {
    path: path.slice(prefix.length),
    object: path,
    checksum,
    size,
    mtime: clientMtime(metadata) ?? mtime,
    permissions,
    link,
  };
}

export async function* emptyTree(): AsyncGenerator<RemoteEntry> {}

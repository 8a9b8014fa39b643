/** Whether a file holds what an object holds, reading it only when its size and time leave that open. */

import { join } from 'node:path';
import { defaultPermissions, md5Of, md5OfFile, samePermissions } from '@srv/engine/transfer';
import type { LocalEntry, PosixMode } from '@srv/engine/transfer';
import type { Comparison } from './compare.js';
import type { KnownContents } from './known-contents.js';
import type { RemoteEntry } from './remote-tree.js';

interface SamenessOptions {
  readonly folder: string;
  readonly posix: PosixMode;
  /**
   * Unix milliseconds when both sides were last in step. A file that was changed since then may have the time it had then,
   * as times are compared by the second.
   */
  readonly syncedAt: number;
  /** Contents that need not be read. */
  readonly contents: KnownContents;
  readonly signal?: AbortSignal | undefined;
}

export function sameness({
  folder,
  posix,
  syncedAt,
  contents,
  signal,
}: SamenessOptions): Pick<Comparison, 'sameAsLocal' | 'sameRemote' | 'impliedFolder'> {
  /** Clocks of file systems tick coarsely. */
  const trustedBefore = Math.floor(syncedAt / 1000) - 1;
  let last: { readonly entry: LocalEntry; readonly md5: string } | undefined;
  const md5 = async (entry: LocalEntry): Promise<string> => {
    const known = contents.md5(entry);
    if (known !== undefined) return known;
    if (last?.entry === entry) return last.md5;
    const since = Date.now();
    const found = await md5OfFile(join(folder, entry.path), signal, entry.size);
    contents.learn(entry, found, since);
    last = { entry, md5: found };
    return found;
  };
  const permissionsOf = ({ permissions, path }: RemoteEntry) => permissions ?? defaultPermissions(path.endsWith('/'));
  return {
    async sameAsLocal(remote, local, thorough) {
      if (remote.link !== undefined || local.link !== undefined) return remote.link === local.link;
      if (posix.enabled && !samePermissions(permissionsOf(remote), local, posix)) return false;
      if (local.kind === 'folder') return true;
      if (remote.size !== local.size) return false;
      const sameTime = remote.mtime === local.mtime;
      if (sameTime && local.mtime < trustedBefore && !thorough) return true;
      const expected = md5Of(remote.checksum);
      return expected === undefined ? sameTime : expected === (await md5(local));
    },
    sameRemote: (a, b) =>
      a.size === b.size &&
      a.checksum === b.checksum &&
      a.link === b.link &&
      (!posix.enabled || samePermissions(permissionsOf(a), permissionsOf(b), posix)),
    impliedFolder: local => local.empty === false && samePermissions(local, defaultPermissions(true), posix),
  };
}

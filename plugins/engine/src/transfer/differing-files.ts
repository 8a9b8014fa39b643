/** Which files below a folder a branch does not hold as they are: what a recursive upload has to send. */

import { join } from 'node:path';
import { everything } from '@srv/lib-commands';
import { compareBytes } from '@srv/lib-records';
import { md5Of, md5OfFile } from './checksum.js';
import { clientMtime } from './posix.js';
import { walk } from './walk.js';
import type { Client, ObjectStats as ObjectRecord } from '../operations/client.js';
import type { LocalEntry } from './walk.js';

export interface FolderUpload {
  readonly api: Client;
  readonly folder: string;
  readonly repository: string;
  readonly branch: string;
  /** Empty, or ends with `/`. */
  readonly prefix: string;
  /** Type the objects are to have; absent: any. */
  readonly contentType?: string | undefined;
  /** Leave out symbolic links and other special files instead of failing. */
  readonly skipSpecial: boolean;
  readonly signal: AbortSignal;
}

/** Seconds within which a file may have changed again without its time showing it. */
const clockTick = 1;

/**
 * Both sides are read once, in the order of the listing, while files are sent: those sent lie before what is still to be listed.
 * @param onSame called for every file that need not be sent.
 */
export async function* differingFiles(upload: FolderUpload, onSame: () => void): AsyncGenerator<LocalEntry> {
  const { api, repository, branch: ref, prefix, folder, skipSpecial } = upload;
  const objects = everything(page => api.listObjects({ repository, ref, prefix, user_metadata: true, ...page }));
  let next = await objects.next();
  for await (const file of walk(folder, { folders: false, skipSpecial })) {
    if (file.kind !== 'file') continue;
    const path = prefix + file.path;
    while (!next.done && compareBytes(next.value.path, path) < 0) next = await objects.next();
    const there = next.done || next.value.path !== path ? undefined : next.value;
    if (there && (await isSame(there, file, upload))) onSame();
    else yield file;
  }
  await objects.return(undefined);
}

/** Contents are compared where times do not decide. */
async function isSame(there: ObjectRecord, file: LocalEntry, { contentType, folder, signal }: FolderUpload): Promise<boolean> {
  if (there.size_bytes !== file.size || (contentType !== undefined && there.content_type !== contentType)) return false;
  const sameTime = clientMtime(there.metadata) === file.mtime;
  const expected = md5Of(there.checksum);
  if (expected === undefined || (sameTime && there.mtime - file.mtime > clockTick)) return sameTime;
  return (await md5OfFile(join(folder, file.path), signal)) === expected;
}

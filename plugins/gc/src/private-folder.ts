/** Folders that hold names of objects: other users of the machine may not list them. */
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@srv/kernel';

const privateMode = 0o700;

/** Makes a folder, and those above it. */
export async function makePrivateFolder(path: string): Promise<void> {
  await makeFolder(path, privateMode);
}

/** Makes the folder of a repository below `gc.cache_dir`; that of an earlier version may be open to everyone. */
export async function ownRepositoryFolder(cacheDir: string, instanceUid: string): Promise<void> {
  const folder = join(cacheDir, instanceUid);
  await makePrivateFolder(folder);
  await chmod(folder, privateMode);
}

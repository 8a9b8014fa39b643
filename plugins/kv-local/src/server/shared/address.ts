/**
 * Where the owner of a database listens: `owner.sock` in its folder. A path that is longer than a socket's address may be
 * does not serve; then the socket lies in a temporary folder, whose path is the text of `owner.address`.
 */
import { mkdtemp, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const socketName = 'owner.sock';
export const addressName = 'owner.address';
/** The least that systems allow is 104 bytes with the NUL at the end. */
const maxPathBytes = 100;

/** Where to reach the owner, if there is one. */
export async function ownerAddress(folder: string): Promise<string> {
  const text = await readFile(join(folder, addressName), 'utf8').catch(() => '');
  return text === '' ? join(folder, socketName) : text;
}

/** Makes room for the socket of the process that owns the database now; what an earlier owner left goes. */
export async function prepareAddress(folder: string): Promise<string> {
  await releaseAddress(folder);
  const path = join(folder, socketName);
  if (Buffer.byteLength(path) <= maxPathBytes) return path;
  const elsewhere = join(await mkdtemp(join(tmpdir(), 'srv-kv-')), socketName);
  await writeFile(join(folder, addressName), elsewhere, { mode: 0o600 });
  return elsewhere;
}

/** Removes the socket. */
export async function releaseAddress(folder: string): Promise<void> {
  const path = await ownerAddress(folder);
  await rm(path, { force: true });
  if (dirname(path) === folder) return;
  await rmdir(dirname(path)).catch(() => undefined);
  await rm(join(folder, addressName), { force: true });
}

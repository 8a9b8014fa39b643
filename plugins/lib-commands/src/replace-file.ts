/** A file is replaced whole, or not at all. */
import { rename, rm, stat } from 'node:fs/promises';
import { temporaryBeside } from './temporary-name.js';

/**
 * Lets `write` fill a temporary file, then puts it in its place; what was at `path` stays until then.
 * @param temporary on the same file system; default: a new name beside `path`.
 * @throws Error before `write` is called when `path` is a device, a named pipe or a socket, or a link to one: these stay.
 */
export async function replaceFile(
  path: string,
  write: (temporary: string) => Promise<void>,
  temporary = temporaryBeside(path),
): Promise<void> {
  await checkReplaceable(path);
  try {
    await write(temporary);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function checkReplaceable(path: string): Promise<void> {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined || facts.isFile() || facts.isDirectory()) return;
  throw new Error(
    `${path} is not a regular file, so it cannot be replaced; name another file, or use "cli fs cat" to write an object to a pipe or a device`,
  );
}

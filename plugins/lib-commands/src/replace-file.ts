/** A file is replaced whole, or not at all. */
import { randomBytes } from 'node:crypto';
import { rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Makes the names of this process's temporary files differ from those of any other. */
let mark: string | undefined;
let made = 0;

function nextMark(): string {
  mark ??= randomBytes(6).toString('hex');
  return `${mark}${made++}`;
}

/**
 * Lets `write` fill a temporary file, then puts it in its place; what was at `path` stays until then.
 * @param temporary on the same file system; default: a new name beside `path`.
 * @throws Error before `write` is called when `path` is a device, a named pipe or a socket, or a link to one: these stay.
 */
export async function replaceFile(
  path: string,
  write: (temporary: string) => Promise<void>,
  temporary = join(dirname(path), `.${shortened(basename(path))}.${nextMark()}.part`),
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

/** Its whole characters within 100 bytes: file systems limit bytes, 255 in most cases. */
function shortened(name: string): string {
  return name.slice(0, new TextEncoder().encodeInto(name, new Uint8Array(100)).read);
}

async function checkReplaceable(path: string): Promise<void> {
  const facts = await stat(path).catch(() => undefined);
  if (facts === undefined || facts.isFile() || facts.isDirectory()) return;
  throw new Error(
    `${path} is not a regular file, so it cannot be replaced; name another file, or use "cli fs cat" to write an object to a pipe or a device`,
  );
}

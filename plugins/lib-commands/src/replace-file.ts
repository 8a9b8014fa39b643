/** A file is replaced whole, or not at all. */
import { randomBytes } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
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
 */
export async function replaceFile(
  path: string,
  write: (temporary: string) => Promise<void>,
  temporary = join(dirname(path), `.${basename(path).slice(0, 100)}.${nextMark()}.part`),
): Promise<void> {
  try {
    await write(temporary);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Files that only their owner may read, written whole or not at all. */

import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates `path` with mode 0600. Of several processes that try at once, one wins.
 * @returns false when the file exists already; it is left as it is.
 */
export function createPrivateFile(path: string, content: string): boolean {
  const temporary = writeTemporary(path, content);
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Replaces `path` in one step, with mode 0600; of a symbolic link, the file that it leads to. */
export function replacePrivateFile(path: string, content: string): void {
  const file = existsSync(path) ? realpathSync(path) : path;
  const temporary = writeTemporary(file, content);
  try {
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** One level at a time: on file systems that refuse new folders, such as /proc, Node's recursive way never ends. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function writeTemporary(path: string, content: string): string {
  makeFolder(dirname(path));
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const descriptor = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  // The mode given to open is narrowed by the umask.
  chmodSync(temporary, 0o600);
  return temporary;
}

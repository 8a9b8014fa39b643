/**
 * Files that only their owner may read, written whole or not at all. Where a symbolic link leads, such as to the folder of a program
 * that manages configurations, the file is written there, and the link stays.
 */

import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { temporaryBeside } from '@srv/lib-commands/temporary-name';

/**
 * Creates `path` with mode 0600. Of several processes that try at once, one wins.
 * @returns false when the file exists already; it is left as it is.
 */
export function createPrivateFile(path: string, content: string): boolean {
  const target = followed(path);
  if (existsSync(target)) return false;
  const temporary = writeTemporary(target, content);
  try {
    linkSync(temporary, target);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Replaces `path` in one step, with mode 0600. @throws Error for what is not a regular file, such as a device. */
export function replacePrivateFile(path: string, content: string): void {
  const target = followed(path);
  // With large integers, and natively below: otherwise Node remembers that it saw a pipe or a socket, and then stops short when it
  // resolves the links to modules that are loaded later.
  const isReplaceable = statSync(target, { throwIfNoEntry: false, bigint: true })?.isFile() ?? true;
  if (!isReplaceable) throw new Error(`${path} is not a regular file, so it cannot be replaced; name another file`);
  const temporary = writeTemporary(target, content);
  try {
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Where `path` leads; the file there need not exist. @throws Error `ELOOP` for links that lead to one another. */
function followed(path: string): string {
  const real = unlessMissing(() => realpathSync.native(path));
  if (real !== undefined) return real;
  const link = linkAt(path);
  return link === undefined ? path : followed(resolve(dirname(path), link));
}

/** What a link says; `undefined`: it is not one, or nothing is there. */
function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function unlessMissing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
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
  const temporary = temporaryBeside(path);
  const descriptor = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(descriptor, content);
    fsyncSync(descriptor);
    // The mode given to open is narrowed by the umask.
    chmodSync(temporary, 0o600);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  return temporary;
}

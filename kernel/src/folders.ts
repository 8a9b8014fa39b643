/**
 * Makes a folder and those above it, as `recursive` of Node.js does. But that one never ends where a file system refuses a
 * folder as missing although the folder above exists, as `/proc` and automounted homes do.
 */
import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** @returns the first folder it made; `undefined` when all exist. @throws the system's error. */
export async function makeFolder(path: string, mode = 0o777): Promise<string | undefined> {
  const parent = dirname(path);
  const above = parent === path || (await isFolder(parent)) ? undefined : await makeFolder(parent, mode);
  try {
    await mkdir(path, mode);
    return above ?? path;
  } catch (error) {
    if (await isFolder(path)) return above;
    throw error;
  }
}

/** As {@link makeFolder}. */
export function makeFolderSync(path: string, mode = 0o777): void {
  const parent = dirname(path);
  if (parent !== path && !isFolderSync(parent)) makeFolderSync(parent, mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (!isFolderSync(path)) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

function isFolderSync(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

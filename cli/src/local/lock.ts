/** One command at a time changes a linked directory: a file in it says which process that is. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isLeft, owned, thisProcess } from '../transfer/owner.js';
import type { Owner } from '../transfer/owner.js';
import { findIndex } from './index-file.js';
import type { FoundIndex } from './index-file.js';
import { lockName, temporaryFor } from './names.js';

/** Works with the linked directory that `start` is or lies in. @throws Error while another command does. */
export async function withLinked<T>(start: string, work: (found: FoundIndex) => Promise<T>): Promise<T> {
  const { folder } = await findIndex(start);
  // What the other command wrote is read when it has ended.
  return locked(folder, async () => work(await findIndex(folder)));
}

/** @throws Error while another command works in the folder. A lock whose process is gone is taken over. */
export async function locked<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const file = join(folder, lockName);
  while (!(await take(file))) {
    const owner = await ownerOf(file);
    if (owner !== 'gone') throw new Error(`${busy(folder, owner)}; wait until it has ended, or remove ${file} when it has`);
    await removeAbandoned(file);
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
    owned.delete(file);
  }
}

/** Says who works in the folder now; `undefined`: nobody. */
export async function busyWith(folder: string): Promise<string | undefined> {
  const owner = await ownerOf(join(folder, lockName));
  return owner === 'gone' ? undefined : busy(folder, owner);
}

function busy(folder: string, owner: Owner | 'unknown'): string {
  const which = owner === 'unknown' ? 'a process' : owner.pid === process.pid ? 'this process' : `process ${owner.pid} on ${owner.host}`;
  return `another command is at work in ${folder} (${which})`;
}

/** @returns whether it is ours now. */
async function take(file: string): Promise<boolean> {
  try {
    await writeFile(file, JSON.stringify(thisProcess()), { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  owned.add(file);
  return true;
}

async function ownerOf(file: string): Promise<Owner | 'gone' | 'unknown'> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'gone';
    throw error;
  }
  const owner = parse(text);
  return owner === undefined ? 'unknown' : isLeft(file, owner) ? 'gone' : owner;
}

function parse(text: string): Owner | undefined {
  try {
    const { pid, host } = JSON.parse(text) as Partial<Owner>;
    return typeof pid === 'number' && typeof host === 'string' ? { pid, host } : undefined;
  } catch {
    return undefined;
  }
}

/** Another process may have done so and taken the lock in the meantime: what is moved away is looked at again, and put back. */
async function removeAbandoned(file: string): Promise<void> {
  const aside = temporaryFor(file);
  try {
    await rename(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const owner = parse(await readFile(aside, 'utf8'));
  if (owner && isLeft(file, owner)) await rm(aside, { force: true });
  else await rename(aside, file);
}

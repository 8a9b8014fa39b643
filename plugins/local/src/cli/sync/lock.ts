/** One command at a time changes a linked directory: a file in it says which process that is. */

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isOrphaned, lockName, owned, takeOverName, temporaryFor, thisProcess } from '@srv/engine/transfer';
import { findIndex } from './index-file.js';
import type { Owner } from '@srv/engine/transfer';
import type { FoundIndex } from './index-file.js';

/** Milliseconds. */
const takeOverPause = 5;
/** A process that takes over a lock does nothing else meanwhile. */
const takeOverTries = 200;

/** Works with the linked directory that `start` is or lies in. @throws Error while another command does. */
export async function withLinked<T>(start: string, work: (found: FoundIndex) => Promise<T>): Promise<T> {
  const { folder } = await findIndex(start);
  // What the other command wrote is read when it has ended.
  return locked(folder, async () => work(await findIndex(folder)));
}

/** @throws Error while another command works in the folder. A lock whose process is gone is taken over. */
export async function locked<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const file = join(folder, lockName);
  for (let tries = 1; !take(file); tries++) {
    const owner = ownerOf(file);
    if (!isFree(owner) || tries === takeOverTries)
      throw new Error(`${busy(folder, owner)}; wait until it has ended, or remove ${file} when it has`);
    if (takeOver(file)) break;
    // Another process is about to take it over.
    await setTimeout(takeOverPause);
  }
  try {
    return await work();
  } finally {
    // At once, as is the taking: another command of this process must not come in between.
    rmSync(file, { force: true });
    owned.delete(file);
  }
}

/** Describes the process that works in the folder now; `undefined`: none. */
export function busyWith(folder: string): string | undefined {
  const owner = ownerOf(join(folder, lockName));
  return isFree(owner) ? undefined : busy(folder, owner);
}

/** State of a lock: its owner, its process has ended, unreadable, or no lock. */
type Holder = Owner | 'gone' | 'unknown' | 'absent';

function isFree(holder: Holder): holder is 'gone' | 'absent' {
  return holder === 'gone' || holder === 'absent';
}

function busy(folder: string, owner: Holder): string {
  const which =
    typeof owner === 'string' ? 'a process' : owner.pid === process.pid ? 'this process' : `process ${owner.pid} on ${owner.host}`;
  return `another command is at work in ${folder} (${which})`;
}

/** @returns whether it is ours now. */
function take(file: string): boolean {
  if (!create(file)) return false;
  owned.add(file);
  return true;
}

/**
 * Replaces the lock of a process that has ended, without a moment without a lock. A file next to it keeps others from
 * doing so at the same time.
 * @returns whether the lock is ours now.
 */
function takeOver(file: string): boolean {
  const guard = join(dirname(file), takeOverName);
  if (!create(guard)) {
    // Left by a process that was killed in the very act.
    if (ownerOf(guard) === 'gone') rmSync(guard, { force: true });
    return false;
  }
  try {
    if (ownerOf(file) !== 'gone') return false;
    const ours = temporaryFor(file);
    create(ours);
    renameSync(ours, file);
    owned.add(file);
    return true;
  } finally {
    rmSync(guard, { force: true });
  }
}

/** Writes who we are. @returns false when the file exists. */
function create(file: string): boolean {
  try {
    writeFileSync(file, JSON.stringify(thisProcess()), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function ownerOf(file: string): Holder {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'absent';
    throw error;
  }
  const owner = parse(text);
  return owner === undefined ? 'unknown' : isOrphaned(file, owner) ? 'gone' : owner;
}

function parse(text: string): Owner | undefined {
  try {
    const { pid, host } = JSON.parse(text) as Partial<Owner>;
    return typeof pid === 'number' && typeof host === 'string' ? { pid, host } : undefined;
  } catch {
    return undefined;
  }
}

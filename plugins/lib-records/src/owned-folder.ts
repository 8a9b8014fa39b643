/**
 * Folders that belong to one running process, named `<prefix><host>-<process>-<mark><namespace><random>`: several servers can
 * share a base folder, and each can recognise what a crash left there. The namespace is that of process numbers, which
 * containers on one host have each of their own; earlier versions did not name it.
 */
import { randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { lstat, mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@srv/kernel';
import { isAlive } from './is-alive.js';
import type { Logger } from '@srv/kernel';

/** What other machines have not touched for this long is left over: we cannot ask whether their process is alive. */
export const foreignAgeMs = 24 * 3_600_000;

/** What containers of this machine with our host name have not touched for this long is left over: our clocks are the same. */
const neighbourAgeMs = 600_000;
/** Milliseconds between two signs that a kept folder is in use. */
const beatMs = 60_000;

const host = hostname().replace(/[^A-Za-z0-9.]/g, '_');
/** Our process number may have been another's before. */
const startedAtMs = Date.now() - process.uptime() * 1000;
const namespace = processNamespace();
const randomLength = 12;

export interface FolderOwner {
  /** Of processes of other machines, and of other containers that were at work recently, it is `unknown`. */
  readonly state: 'alive' | 'dead' | 'unknown';
  /** It has our host name. */
  readonly isOfOurHost: boolean;
  /** When an entry of the folder was last made or removed. */
  readonly touchedMs: number;
}

/** A name that no other process has. @param mark beginning of its last part. */
export function ownFolderName(mark = ''): string {
  return `${host}-${process.pid}-${mark}${namespace}${randomBytes(randomLength / 2).toString('hex')}`;
}

/** Makes a folder that only this user may enter. @returns its path. */
export async function makeOwnFolder(parent: string, prefix: string, mark?: string): Promise<string> {
  const folder = join(parent, `${prefix}${ownFolderName(mark)}`);
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

/** Shows regularly that a folder is in use, and makes it again if it was removed. @returns what ends that. */
export function keepOwnFolder(folder: string): () => Promise<void> {
  let keeping = Promise.resolve();
  const beat = setInterval(() => {
    keeping = keeping.then(() => keep(folder));
  }, beatMs).unref();
  return () => {
    clearInterval(beat);
    return keeping;
  };
}

/** Never rejects: writes report a fault of the disk. */
async function keep(folder: string): Promise<void> {
  const now = new Date();
  try {
    await utimes(folder, now, now);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => undefined);
  }
}

/** Removes a folder of this process. What cannot be removed is logged: the next start tries it again. */
export async function removeOwnFolder(folder: string, log: Pick<Logger, 'warn'>): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    log.warn({ path: folder, error: messageOf(error) }, 'failed to remove a temporary folder; the next start tries again');
  }
}

/**
 * Whose folder this is; `undefined` when it is gone. The owner is unknown if the name has another form or another host.
 * @param prefix of the name, before the host.
 */
export async function ownerOf(parent: string, name: string, prefix = ''): Promise<FolderOwner | undefined> {
  const touchedMs = await touched(join(parent, name));
  if (touchedMs === undefined) return undefined;
  const [, owner, pid, last = ''] = /^(.+)-(\d+)-([^-]+)$/.exec(name.slice(prefix.length)) ?? [];
  const isOfOurHost = owner === host;
  if (!isOfOurHost) return { state: 'unknown', isOfOurHost, touchedMs };
  const [, neighbour = namespace] = /([0-9a-f]{8})[0-9a-f]{12}$/.exec(last) ?? [];
  // The number is that of another process here, or of none.
  if (neighbour !== namespace) return { state: Date.now() - touchedMs > neighbourAgeMs ? 'dead' : 'unknown', isOfOurHost, touchedMs };
  const lives = Number(pid) === process.pid ? touchedMs >= startedAtMs : isAlive(Number(pid));
  return { state: lives ? 'alive' : 'dead', isOfOurHost, touchedMs };
}

/** Whether no process owns the folder any more. */
export async function isLeftOver(parent: string, name: string, prefix = ''): Promise<boolean> {
  // Undefined: another server that starts now was quicker.
  const owner = await ownerOf(parent, name, prefix);
  return owner?.state === 'dead' || (owner?.state === 'unknown' && Date.now() - owner.touchedMs > foreignAgeMs);
}

/**
 * Removes the folders with this prefix that crashed processes left in a place that other programs and users may use, too.
 * What cannot be removed is logged.
 */
export async function removeLeftFolders(parent: string, prefix: string, log: Logger): Promise<void> {
  const names = await readdir(parent).catch((): string[] => []);
  for (const name of names.filter(known => known.startsWith(prefix))) {
    const path = join(parent, name);
    try {
      if ((await isOwnDirectory(path)) && (await isLeftOver(parent, name, prefix)))
        await rm(path, { recursive: true, force: true, maxRetries: 3 });
    } catch (error) {
      log.warn({ path, error: messageOf(error) }, 'failed to remove a folder of an ended process');
    }
  }
}

/** Eight hexadecimal digits where processes have numbers of their own per container, which Linux says; else empty. */
export function processNamespace(): string {
  try {
    const [, inode = ''] = /^pid:\[(\d+)\]$/.exec(readlinkSync('/proc/self/ns/pid')) ?? [];
    return inode && (Number(inode) >>> 0).toString(16).padStart(8, '0');
  } catch {
    return '';
  }
}

/** Neither a link nor another user's, who could exchange it meanwhile. */
async function isOwnDirectory(path: string): Promise<boolean> {
  const found = await unlessMissing(lstat(path));
  return found !== undefined && found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid);
}

async function touched(path: string): Promise<number | undefined> {
  return (await unlessMissing(stat(path)))?.mtimeMs;
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

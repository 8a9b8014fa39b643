/**
 * Folders that belong to one running store, named `<host>-<process>-<random>`: several servers can share a base folder, and
 * each can recognise what a crash left behind.
 */
import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { unless } from './file-errors.js';

/** What other machines have not touched for this long is left over: we cannot ask whether their process is alive. */
export const foreignAgeMs = 24 * 3_600_000;

const host = hostname().replace(/[^A-Za-z0-9.]/g, '_');
/** Our process number may have been another's before. */
const startedAtMs = Date.now() - process.uptime() * 1000;

export interface Owner {
  /** Of processes of other machines it is `unknown`. */
  readonly state: 'alive' | 'dead' | 'unknown';
  /** When an entry of the folder was last made or removed. */
  readonly touchedMs: number;
}

/** A name that no other store has. @param mark beginning of its last part. */
export function ownFolderName(mark = ''): string {
  return `${host}-${process.pid}-${mark}${randomBytes(6).toString('hex')}`;
}

/** Whose folder this is; `undefined` when it is gone. The owner is unknown if the name has another form or another host. */
export async function ownerOf(parent: string, name: string): Promise<Owner | undefined> {
  const touchedMs = (await unless(stat(join(parent, name)), 'ENOENT'))?.mtimeMs;
  if (touchedMs === undefined) return undefined;
  const [, owner, pid] = /^(.+)-(\d+)-[^-]+$/.exec(name) ?? [];
  if (owner !== host) return { state: 'unknown', touchedMs };
  const lives = Number(pid) === process.pid ? touchedMs >= startedAtMs : isAlive(Number(pid));
  return { state: lives ? 'alive' : 'dead', touchedMs };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is alive, under another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Journals that other stores left below a base folder, looked at before a store opens. While the same system runs, it still
 * holds what was written, and nothing is lost; after another start of it the journals are replayed.
 */
import { readFile, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { foreignAgeMs, ownFolderName, ownerOf } from '@srv/lib-records/owned-folder';
import { missing } from '../files/error-codes.js';
import { unless } from '../files/file-errors.js';
import { decodeHead, maxHeadBytes } from './journal-format.js';
import { replayJournal } from './journal-replay.js';
import { segmentNames } from './journal-segments.js';
import { readSegment } from './read-segment.js';
import type { Logger } from '@srv/kernel';
import type { FolderOwner } from '@srv/lib-records/owned-folder';
import type { Restorer } from './journal-restore.js';

interface OtherJournalsOptions extends Restorer {
  /** Folder of all journals. */
  readonly parent: string;
  readonly bootId: string;
  readonly log: Logger;
}

/** A living store retires its segments within a minute. The clock is the same for all processes of this system. */
const sameSystemAgeMs = 600_000;
/** A process that replays a journal touches its folder this often, and is given up after so long. */
const [beatMs, silenceMs] = [1000, 10_000];
const pollMs = 100;
/** Name of the folder of a journal that its owner replays. */
const isClaim = /-replay[0-9a-f]+$/;

/** What identifies this run of the operating system; empty where nothing does. */
export async function readBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim();
}

/**
 * Replays what has to be replayed.
 * @returns folders of journals whose process has ended under the running system: what they name only has to be synced.
 */
export async function recoverJournals(options: OtherJournalsOptions): Promise<string[]> {
  const { parent, bootId } = options;
  const seen = new Set<string>();
  const adopted: string[] = [];
  for (let looksAgain = true; looksAgain; ) {
    looksAgain = false;
    for (const name of (await unless(readdir(parent), 'ENOENT')) ?? []) {
      if (seen.has(name)) continue;
      const folder = join(parent, name);
      const owner = await ownerOf(parent, name);
      const quietMs = Date.now() - (owner ? await lastTouchedMs(folder, owner) : 0);
      const system = owner && (await systemOf(folder, bootId));
      const isReplayed = isClaim.test(name) && owner?.state === 'alive' && quietMs <= silenceMs;
      // Gone: perhaps another store that starts, too, has claimed it.
      if (!owner) looksAgain = true;
      else if (system === 'this') {
        seen.add(name);
        if (hasEnded(owner) || quietMs > sameSystemAgeMs) adopted.push(folder);
      } else if (isReplayed) looksAgain = true;
      else if (hasEnded(owner) || (owner.state === 'alive' && system === 'another')) {
        // The number of its process is another's now, if it is in use at all.
        looksAgain = true;
        await replayOwn(name, options);
      } else {
        seen.add(name);
        await replayJournal(folder, { ...options, keeps: true });
        // Again: its owner may run, and have written meanwhile.
        if (Date.now() - (await lastTouchedMs(folder, owner)) > foreignAgeMs) await rm(folder, { recursive: true, force: true });
      }
    }
    if (looksAgain) await sleep(pollMs);
  }
  return adopted;
}

/** Of our host name in another container: that of an earlier start of this one, since containers that share a folder have different names. */
function hasEnded({ state, isOfOurHost }: FolderOwner): boolean {
  return state === 'dead' || (state === 'unknown' && isOfOurHost);
}

async function lastTouchedMs(folder: string, { touchedMs }: FolderOwner): Promise<number> {
  const times = [touchedMs];
  for (const name of segmentNames((await unless(readdir(folder), ...missing)) ?? [])) {
    times.push((await unless(stat(join(folder, name)), ...missing))?.mtimeMs ?? 0);
  }
  return Math.max(...times);
}

/** Under which start of the system a journal was written; what holds nothing is of this one. */
async function systemOf(folder: string, bootId: string): Promise<'this' | 'another' | 'untold'> {
  for (const name of segmentNames((await unless(readdir(folder), ...missing)) ?? [])) {
    const head = decodeHead(readSegment(join(folder, name), maxHeadBytes) ?? Buffer.alloc(0));
    if (head && (bootId === '' || head.bootId === '')) return 'untold';
    if (head && head.bootId !== bootId) return 'another';
  }
  return 'this';
}

/** Replays a journal whose owner has ended; of several stores that start, one does it. */
async function replayOwn(name: string, options: OtherJournalsOptions): Promise<void> {
  const { parent } = options;
  const folder = join(parent, ownFolderName('replay'));
  const touch = (path: string): Promise<unknown> => unless(utimes(path, new Date(), new Date()), 'ENOENT');
  // Touched before it is ours, so that no other process takes it for a leftover of a crash.
  await touch(join(parent, name));
  const claimed = await unless(
    rename(join(parent, name), folder).then(() => true),
    'ENOENT',
  );
  if (!claimed) return;
  const beat = setInterval(() => void touch(folder).catch(() => undefined), beatMs);
  try {
    await replayJournal(folder, { ...options, keeps: false });
    await rm(folder, { recursive: true, force: true });
  } finally {
    clearInterval(beat);
  }
}

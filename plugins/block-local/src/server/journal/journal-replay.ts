/** After a power failure: the files that a journal holds are looked at, and those that did not reach the disk are written again. */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unless } from '../files/file-errors.js';
import { decodeSegment } from './journal-format.js';
import { inspect, restore } from './journal-restore.js';
import { segmentNames } from './journal-segments.js';
import { readSegment } from './read-segment.js';
import type { Logger } from '@srv/kernel';
import type { FoundRecord, PutRecord } from './journal-format.js';
import type { Restorer } from './journal-restore.js';

interface ReplayOptions extends Restorer {
  readonly log: Logger;
  /**
   * Whether the owner of the journal may be alive. Then the journal stays, and how far it was replayed is noted: what is
   * removed later must not come back with the next replay.
   */
  readonly keeps: boolean;
}

/** Files looked at, or written, at the same time. */
const parallel = 16;

/** Replays a journal; its files are as they were acknowledged, and on the disk, when this resolves. Holds one segment at a time. */
export async function replayJournal(folder: string, options: ReplayOptions): Promise<void> {
  const { log, keeps } = options;
  const segments = segmentNames((await unless(readdir(folder), 'ENOENT')) ?? []);
  let forgotten = forgottenNames(folder, segments);
  let restored = 0;
  for (const [i, segment] of segments.entries()) {
    const replayed = keeps ? await replayedBytes(folder, segment) : 0;
    /** Of each name the last record, with its place. */
    const puts = new Map<string, { readonly record: PutRecord; readonly place: number }>();
    let end = 0;
    for (const found of recordsOf(folder, segment)) {
      ({ end } = found);
      if (found.record.kind === 'put' && end > replayed) puts.set(found.record.name, { record: found.record, place: placeOf(i, end) });
    }
    const holds = ({ record, place }: { record: PutRecord; place: number }): boolean => place > (forgotten.get(record.name) ?? 0);
    const lost: { record: PutRecord; place: number }[] = [];
    await inParallel([...puts.values()].filter(holds), async put => {
      const found = await inspect(put.record, options);
      if (found === 'damaged' || found === 'missing') lost.push(put);
    });
    // A process that is still at work ends the records of a file before it removes it: look for those once more.
    if (keeps && lost.length > 0) forgotten = forgottenNames(folder, segments);
    await inParallel(lost.filter(holds), async ({ record }) => {
      if (await restore(record, options)) restored++;
      else log.warn({ folder, name: record.name }, 'a file of the journal was not restored: another file is in its place');
    });
    if (keeps) await writeFile(join(folder, noteOf(segment)), String(end), { flush: true });
  }
  log.info({ folder, segments: segments.length, restored }, 'the journal of small files was replayed, because the system was restarted');
}

/** Names whose records end, and where. */
function forgottenNames(folder: string, segments: readonly string[]): Map<string, number> {
  const names = new Map<string, number>();
  for (const [i, segment] of segments.entries()) {
    for (const { record, end } of recordsOf(folder, segment)) if (record.kind === 'forget') names.set(record.name, placeOf(i, end));
  }
  return names;
}

/** Places of a journal in their order: segments are shorter than this. */
function placeOf(segment: number, end: number): number {
  return segment * 2 ** 32 + end;
}

function recordsOf(folder: string, segment: string): Iterable<FoundRecord> {
  const bytes = readSegment(join(folder, segment));
  return (bytes && decodeSegment(bytes)?.records) ?? [];
}

function noteOf(segment: string): string {
  return segment.replace(/log$/, 'replayed');
}

/** Bytes of a segment that were replayed before. */
async function replayedBytes(folder: string, segment: string): Promise<number> {
  const note = await unless(readFile(join(folder, noteOf(segment)), 'utf8'), 'ENOENT');
  return /^\d{1,12}$/.test(note ?? '') ? Number(note) : 0;
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}

/**
 * Entry point of the thread that writes small files. A batch is made durable by one run of records in the journal; without
 * it, each file is synced separately. Either way a file gets its name when its bytes are safe.
 */
import { closeSync, existsSync, fstatSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, threadId } from 'node:worker_threads';
import { failureOf } from '../files/error-codes.js';
import { escapedFolder, escapedPath } from '../files/file-name.js';
import { appendRecords } from '../journal/journal-append.js';
import { maxNameBytes } from '../journal/journal-format.js';
import { packResults, unpackJobs } from './small-write-messages.js';
import type { JournalRecord } from '../journal/journal-format.js';
import type { ThreadFailure } from './batch-threads.js';
import type { FileState, WriteBatch, WriteFileJob, WriteResult, WrittenSmall } from './small-write-messages.js';

/** A file that is written, not yet safe. */
interface Draft {
  readonly path: string;
  readonly file: number;
  readonly state: FileState;
  /** What the journal has to say of it; absent: it is to be synced. */
  readonly record: JournalRecord | undefined;
}

let drafts = 0;

parentPort?.on('message', (batch: WriteBatch) => {
  const { base, segment } = batch;
  const begun = unpackJobs(batch).map(job => {
    if (job.kind === 'forget') return { job, record: job };
    const draft = attempt(() => write(batch.temporary, job));
    return { job, draft, record: 'file' in draft ? draft.record : undefined };
  });
  const records = begun.flatMap(({ record }) => record ?? []);
  const appended = segment && (records.length > 0 ? attempt(() => appendRecords(segment, records)) : segment.size);
  const isSafe = typeof appended === 'number';
  const escapes = existsSync(join(base, escapedFolder));
  const results = begun.map(({ job, draft, record }): WriteResult => {
    if (job.kind === 'forget') return isSafe ? undefined : (appended ?? { message: 'there is no journal', code: undefined });
    if (!draft || !('file' in draft)) return draft;
    const written = attempt(() => finish(batch, job, draft, isSafe && record !== undefined));
    return 'message' in written ? written : { shadows: escapes && existsSync(join(base, escapedPath(job.object))), ...written };
  });
  const answer = packResults(results, appended);
  parentPort?.postMessage(answer, [answer.states.buffer]);
});

/** Writes a file that does not bear its name yet. */
function write(temporary: string, { name, content }: WriteFileJob): Draft {
  const path = join(temporary, `small-${threadId}-${++drafts}`);
  const file = openSync(path, 'wx', 0o666);
  return orDiscard(path, file, () => {
    for (let done = 0; done < content.length; ) done += writeSync(file, content, done);
    const { dev, ino, size, mtimeNs } = fstatSync(file, { bigint: true });
    const fits = name !== undefined && Buffer.byteLength(name) <= maxNameBytes;
    return { path, file, state: { dev, ino, size, mtimeNs }, record: fits ? { kind: 'put', name, mtimeNs, content } : undefined };
  });
}

/** Names a file. */
function finish(
  { base, syncs }: Pick<WriteBatch, 'base' | 'syncs'>,
  { name }: WriteFileJob,
  { path, file, state }: Draft,
  journalled: boolean,
): Omit<WrittenSmall, 'shadows'> {
  const placed = orDiscard(path, file, () => {
    if (!journalled && syncs) fsyncSync(file);
    const isPlaced = name !== undefined && rename(path, `${base}/${name}`);
    // When it is placed later, it is as safe as any other.
    if (journalled && !isPlaced) fsyncSync(file);
    return isPlaced;
  });
  closeSync(file);
  return { state, unplaced: placed ? undefined : path, journalled: journalled && placed };
}

/** The caller finds out what is in the way. */
function rename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

/** Closes and removes the file when `work` fails. */
function orDiscard<T>(path: string, file: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    closeSync(file);
    try {
      rmSync(path, { force: true });
    } catch {
      // The next start removes it.
    }
    throw error;
  }
}

function attempt<T>(work: () => T): T | ThreadFailure {
  try {
    return work();
  } catch (error) {
    return failureOf(error);
  }
}

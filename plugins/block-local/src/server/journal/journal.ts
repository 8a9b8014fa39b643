/**
 * The journal of an open store: small files are safe when it holds them, and are synced later, in the background. Before a
 * file it holds is changed otherwise, its records are ended.
 */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '@srv/kernel';
import { syncPath } from '../files/durable-folders.js';
import { missing } from '../files/error-codes.js';
import { unless } from '../files/file-errors.js';
import { readPlainFile } from '../files/open-flags.js';
import { SmallWrites } from '../small-files/small-writes.js';
import { AdoptedJournals } from './adopted-journals.js';
import { decodeSegment } from './journal-format.js';
import { rewrite } from './journal-restore.js';
import { JournalSegments } from './journal-segments.js';
import { readSegment } from './read-segment.js';
import { Retirement } from './retirement.js';
import type { Logger } from '@srv/kernel';
import type { KeyedLock } from '@srv/lib-stores/block';
import type { ThreadFailure } from '../small-files/batch-threads.js';
import type { WriteFileJob, WrittenSmall } from '../small-files/small-write-messages.js';
import type { SegmentEnd } from './journal-append.js';
import type { Restorer } from './journal-restore.js';
import type { JournalLimits, LiveSegment } from './journal-segments.js';

export interface JournalOptions extends Restorer {
  /** Folder of the segments, made when the first is. */
  readonly folder: string;
  readonly bootId: string;
  readonly limits: JournalLimits;
  /** Whether small files are safe at once; otherwise the journal takes no records. Default: true. */
  readonly syncs?: boolean;
  readonly log: Logger;
  /** Changes of the files, by real path. */
  readonly locks: KeyedLock;
  /** Folders of journals that ended processes left. */
  readonly adopted: readonly string[];
  /** Default: a thread. @param base real path of the base folder. */
  readonly openRetirement?: (base: string) => Retirement;
}

/** After a failure nothing is appended for so long, and nothing retired. */
const pauseMs = 30_000;
/** Retiring everything at the end may take so long; what is left is for the next start. */
const closeMs = 10_000;
const minTickMs = 10;

export class Journal {
  readonly #options: JournalOptions;
  readonly #base: string;
  readonly #segments: JournalSegments;
  readonly #writes: SmallWrites;
  /** For when the journal takes no more records. */
  readonly #directWrites: SmallWrites;
  #retirement: Retirement;
  #adopted: AdoptedJournals | undefined;
  #pausedUntilMs = 0;
  #retryAtMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #isRetiring = false;
  /** Each retirement waits for those before it. */
  #retiring: Promise<void> = Promise.resolve();
  #batchEnds: (() => void)[] = [];
  /** Takes no more records. */
  #closed = false;
  /** Retires no more. */
  #ended = false;

  constructor(options: JournalOptions) {
    const { folder, limits, roots, temporary, adopted, log, syncs = true } = options;
    this.#options = options;
    this.#base = roots.base.real;
    this.#segments = new JournalSegments(folder, limits);
    this.#retirement = this.#openRetirement();
    this.#writes = new SmallWrites({
      base: this.#base,
      temporary,
      journal: { begin: (names, ends) => this.#begin(names, ends), end: outcome => this.#end(outcome) },
    });
    this.#directWrites = new SmallWrites({ base: this.#base, temporary, syncs });
    if (adopted.length === 0) return;
    this.#adopted = new AdoptedJournals(adopted, this.#retirement, log);
    void this.#adopted.done.then(() => {
      this.#adopted = undefined;
      this.#rest();
    });
  }

  /**
   * Writes a file whose name the journal does not hold, nor another change of the path is under way.
   * @throws an error with the `code` of the system's.
   */
  write(file: Pick<WriteFileJob, 'name' | 'object'>, content: Uint8Array): Promise<WrittenSmall> {
    return (this.#takesRecords(Date.now()) ? this.#writes : this.#directWrites).write(file, content);
  }

  /** Whether records of the name, a path below the real base folder, may be there. */
  mayHold(name: string): boolean {
    return this.#segments.mayHold(name);
  }

  /** Resolves when no journal of an ended process holds the name any more; `undefined` if none does. */
  release(name: string): Promise<void> | undefined {
    return this.#adopted?.release(name);
  }

  /**
   * Ends the records of a name: the file is on the disk as it is, and may be changed without the journal. No other change of
   * its path may be under way.
   */
  async settle(name: string): Promise<void> {
    await this.release(name);
    if (!this.#segments.mayHold(name) || this.#segments.hasForgotten(name)) return;
    const path = join(this.#base, name);
    try {
      await unless(syncPath(path, readPlainFile), ...missing);
      await unless(this.#options.folders.sync(dirname(path)), ...missing);
    } catch (error) {
      this.#segments.suspectAll();
      throw error;
    }
    try {
      await this.#writes.forget(name);
      this.#segments.forget(name);
    } catch {
      // Nothing can be appended, but what has ended altogether holds no record either.
      await this.#retireAll();
    }
  }

  /** Retires everything; a journal that takes too long, or fails to, is left for the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await Promise.all([this.#writes.close(), this.#directWrites.close()]);
    const { log, folder } = this.#options;
    const retired = Promise.all([this.#adopted?.done, this.#retireAll()]).then(() => rm(folder, { recursive: true, force: true }));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>(resolve => {
      timer = setTimeout(() => resolve(`it took longer than ${closeMs} ms`), closeMs);
    });
    const reason = await Promise.race([retired.then(() => undefined, messageOf), late]);
    clearTimeout(timer);
    this.#ended = true;
    if (reason !== undefined) log.warn({ folder, reason }, 'the journal was not retired completely; the next start continues');
    await this.#retirement.close();
  }

  #takesRecords(nowMs: number): boolean {
    return this.#options.syncs !== false && nowMs >= this.#pausedUntilMs && !this.#segments.isFull;
  }

  #begin(names: readonly string[], ends: boolean): SegmentEnd | undefined {
    const nowMs = Date.now();
    if (names.length === 0 || !(ends || this.#takesRecords(nowMs)) || nowMs < this.#pausedUntilMs) return undefined;
    const segment = this.#segments.begin(names, ends, nowMs);
    return segment && { path: segment.path, size: segment.size, bootId: this.#options.bootId };
  }

  #end(outcome: number | ThreadFailure): void {
    const failure = typeof outcome === 'object' ? outcome : undefined;
    this.#segments.end(typeof outcome === 'number' ? outcome : undefined, Date.now());
    if (failure && !this.#closed) {
      this.#pausedUntilMs = Date.now() + pauseMs;
      this.#options.log.warn({ error: failure.message }, 'the journal of small files failed; for a while each file is synced separately');
    }
    for (const go of this.#batchEnds.splice(0)) go();
    if (!this.#timer) this.#arm();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const nowMs = Date.now();
    const dueMs = this.#segments.dueInMs(nowMs);
    if (dueMs === undefined || this.#isRetiring || this.#closed) return;
    this.#timer = setTimeout(() => this.#tick(), Math.max(dueMs, this.#retryAtMs - nowMs, minTickMs));
    // A process that has nothing else to do ends; the next start retires what is left.
    this.#timer.unref();
  }

  #tick(): void {
    this.#isRetiring = true;
    this.#segments.closeAged(Date.now());
    this.#retire(() => this.#segments.due(Date.now()))
      .catch((error: unknown) => {
        this.#retryAtMs = Date.now() + pauseMs;
        this.#options.log.error({ error: messageOf(error) }, 'a segment of the journal could not be retired; it is kept and tried again');
      })
      .finally(() => {
        this.#isRetiring = false;
        this.#rest();
        this.#arm();
      });
  }

  /** Retires what there is now, at once. */
  #retireAll(): Promise<void> {
    this.#segments.closeNow(Date.now());
    const { newest } = this.#segments;
    return this.#retire(() => (newest && this.#segments.has(newest) ? this.#segments.oldest : undefined));
  }

  /** Retires the oldest segment for as long as `next` says so. */
  #retire(next: () => LiveSegment | undefined): Promise<void> {
    const work = this.#retiring.then(async () => {
      for (let segment = next(); segment; segment = next()) {
        while (this.#segments.isBusy(segment)) await new Promise<void>(go => this.#batchEnds.push(go));
        await this.#retireOne(segment);
        this.#segments.drop();
      }
    });
    this.#retiring = work.catch(() => undefined);
    return work;
  }

  async #retireOne(segment: LiveSegment): Promise<void> {
    if (!segment.suspect) {
      try {
        return await this.#retirement.retire(segment.path);
      } catch (error) {
        if (this.#ended) throw error;
        // A failed sync fails once: the next would succeed, though the bytes never reached the disk.
        segment.suspect = true;
        this.#options.log.warn(
          { segment: segment.path, error: messageOf(error) },
          'files of the journal could not be synced; they are written again',
        );
      }
    }
    await this.#rewrite(segment);
  }

  /** Writes the files of a segment again, then removes it. */
  async #rewrite({ path }: LiveSegment): Promise<void> {
    const { locks, folders } = this.#options;
    const bytes = readSegment(path);
    for (const { record } of (bytes && decodeSegment(bytes)?.records) ?? []) {
      if (this.#ended) throw new Error('the store has been closed');
      if (record.kind !== 'put') continue;
      const target = join(this.#base, record.name);
      // Waiting here could deadlock: the other side may wait for us.
      if (!locks.tryAcquire(target)) throw new Error(`${target} is being changed`);
      try {
        if (!this.#segments.hasForgotten(record.name)) await rewrite(record, this.#options);
      } finally {
        locks.release(target);
      }
    }
    await rm(path, { force: true });
    await unless(folders.sync(dirname(path)), 'ENOENT');
  }

  /** Ends the thread while there is nothing to retire. */
  #rest(): void {
    if (this.#closed || this.#adopted || !this.#segments.isEmpty) return;
    void this.#retirement.close();
    this.#retirement = this.#openRetirement();
  }

  #openRetirement(): Retirement {
    return this.#options.openRetirement?.(this.#base) ?? new Retirement(this.#base);
  }
}

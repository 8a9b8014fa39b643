/**
 * LevelDB that is reopened after a write that failed. It must not be written to before that: after an error of the disk it
 * refuses every write, and what it appends after an unfinished record may be unreadable at the next start.
 */
import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SrvError, messageOf, silentLogger } from '@srv/kernel';
import type { Logger } from '@srv/kernel';
import type { Iterator, IteratorOptions, ClassicLevel as Level } from 'classic-level';

export type Database = Level<Buffer, Buffer>;
type Change = { readonly type: 'del'; readonly key: Buffer } | { readonly type: 'put'; readonly key: Buffer; readonly value: Buffer };
type RecordIterator = Iterator<Database, Buffer, Buffer>;

interface RecoveringDatabaseOptions {
  /** Opens the closed database again, and checks its files before. */
  readonly reopen: () => Promise<void>;
  readonly log?: Logger | undefined;
  /** Milliseconds between two attempts to reopen it. Default: 1 s. */
  readonly retryMs?: number;
}

/** Free space that LevelDB needs to open: a table of what its log holds, a new log and a new manifest. */
const spareBytes = 8 << 20;
const probeName = 'space.probe';

export class RecoveringDatabase {
  readonly #level: Database;
  readonly #options: RecoveringDatabaseOptions;
  readonly #log: Logger;
  readonly #closing = new AbortController();
  /** Why nothing can be written. */
  #failure: SrvError | undefined;
  #isOpen = true;
  #openings = 0;
  /** The attempt under way. */
  #attempt: Promise<void> | undefined;
  #recovery: Promise<void> | undefined;
  /** Called when the database has been reopened: a write that failed may be in it. */
  onReopened: (() => void) | undefined;

  /** @param level an open database, which this closes. */
  constructor(level: Database, options: RecoveringDatabaseOptions) {
    this.#level = level;
    this.#options = options;
    this.#log = options.log ?? silentLogger;
  }

  /** Why nothing can be written now. */
  get failure(): SrvError | undefined {
    return this.#failure;
  }

  /** Whether reads can be answered at once. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Number of times that the database was closed to be reopened: iterators from before have ended. */
  get openings(): number {
    return this.#openings;
  }

  /** Waits for a database that is being reopened. @throws SrvError as the writes that fail. */
  async untilOpen(): Promise<void> {
    while (this.#attempt) await this.#attempt;
    if (!this.#isOpen) throw this.#failure ?? unopened(this.#level.location);
  }

  /** Waits for an attempt under way. @throws SrvError `storage_full` or `unavailable` with the reason of the failed write. */
  async untilWritable(): Promise<void> {
    while (this.#attempt) await this.#attempt;
    if (this.#failure) throw this.#failure;
  }

  getSync(key: Buffer): Buffer | undefined {
    if (!this.#isOpen) throw this.#failure ?? unopened(this.#level.location);
    return this.#level.getSync(key);
  }

  iterator(options: IteratorOptions<Buffer, Buffer>): RecordIterator {
    return this.#level.iterator(options);
  }

  /** One batch at a time. @throws SrvError `storage_full` or `unavailable`; the batch may have happened. */
  async batch(changes: Change[], options: { readonly sync: boolean }): Promise<void> {
    await this.untilWritable();
    try {
      await this.#level.batch(changes, options);
    } catch (error) {
      const failure = this.#failureOf(error);
      this.#failure = failure;
      this.#log.error({ folder: this.#level.location, error: messageOf(error) }, 'the embedded database cannot write');
      this.#recovery = this.#recover();
      throw failure;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#recovery;
    if (this.#level.status === 'open') await this.#level.close();
  }

  async #recover(): Promise<void> {
    const { retryMs = 1000 } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      this.#attempt = this.#reopen().finally(() => {
        this.#attempt = undefined;
      });
      await this.#attempt;
      if (!this.#failure) return;
      await sleep(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #reopen(): Promise<void> {
    const folder = this.#level.location;
    try {
      await probeSpace(folder);
      this.#isOpen = false;
      this.#openings++;
      if (this.#level.status === 'open') await this.#level.close();
      await this.#options.reopen();
      this.#isOpen = true;
      this.#failure = undefined;
      this.onReopened?.();
      this.#log.info({ folder }, 'the embedded database can write again');
    } catch (error) {
      this.#failure = this.#failureOf(error);
    }
  }

  #failureOf(error: unknown): SrvError {
    const reason = messageOf(error);
    const code = /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded/i.test(reason) ? 'storage_full' : 'unavailable';
    const { location } = this.#level;
    return new SrvError(code, `the key-value store in ${location} cannot write: ${reason}; it tries again every second`, { cause: error });
  }
}

/** Writes as much as LevelDB needs to open, so that it stays open for readers where that is not to be had. */
async function probeSpace(folder: string): Promise<void> {
  const path = join(folder, probeName);
  try {
    const file = await open(path, 'w', 0o600);
    try {
      const block = Buffer.alloc(1 << 20);
      for (let left = spareBytes + (await logBytes(folder)); left > 0; left -= block.length) await file.write(block);
      await file.sync();
    } finally {
      await file.close();
    }
  } finally {
    await rm(path, { force: true });
  }
}

async function logBytes(folder: string): Promise<number> {
  const logs = (await readdir(folder)).filter(name => name.endsWith('.log'));
  const sizes = await Promise.all(logs.map(async name => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function unopened(folder: string): SrvError {
  return new SrvError('unavailable', `the key-value store in ${folder} is being reopened; try again`);
}

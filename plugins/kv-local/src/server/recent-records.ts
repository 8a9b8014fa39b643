/**
 * Records that are read again and again, such as branches, settings and the users of requests, beside the database: to read one
 * from LevelDB takes twenty times as long, and its value is memory outside of V8's heap. That a key has no record is kept as well, as of
 * settings that were never made. All reads and writes of single records pass here, and no other program writes to the database, so
 * what is kept is what the database has.
 */
import { HotCache } from '@srv/lib-stores/hot-cache';
import type { RecoveringDatabase } from './recovering-database.js';

/** @bound bytes of records kept in memory */
const maxKeptBytes = 8 << 20;
/** Bytes; longer values are not kept. */
const maxValueBytes = 4 << 10;
/** Bytes that keeping one costs beside its key and value. */
const overhead = 256;
/** Is kept of a key without a record. */
const noRecord = Symbol('no record');
/** Records of which it is known that they were read; as many as fit. */
const recentReads = 1 << 14;

export class RecentRecords implements Pick<RecoveringDatabase, 'untilWritable' | 'getSync' | 'batch'> {
  readonly #db: Pick<RecoveringDatabase, 'untilWritable' | 'getSync' | 'batch'>;
  readonly #kept = new HotCache<Buffer | typeof noRecord>({ maxBytes: maxKeptBytes, reads: recentReads });
  /** What the batch on its way changes: at what moment cannot be seen from here. */
  #changing: ReadonlySet<string> = new Set();

  constructor(db: Pick<RecoveringDatabase, 'untilWritable' | 'getSync' | 'batch'>) {
    this.#db = db;
  }

  /** @returns a buffer that others have, too. */
  getSync(key: Buffer): Buffer | undefined {
    const name = key.toString('latin1');
    const kept = this.#kept.get(name);
    if (kept !== undefined) return kept === noRecord ? undefined : kept;
    const value = this.#db.getSync(key);
    const bytes = value?.length ?? 0;
    if (bytes <= maxValueBytes && !this.#changing.has(name) && this.#kept.admits(name))
      this.#kept.set(name, value ?? noRecord, bytes + name.length + overhead);
    return value;
  }

  async batch(...[changes, options]: Parameters<RecoveringDatabase['batch']>): Promise<void> {
    this.#changing = new Set(changes.map(({ key }) => key.toString('latin1')));
    for (const name of this.#changing) this.#kept.delete(name);
    try {
      await this.#db.batch(changes, options);
    } finally {
      this.#changing = new Set();
    }
  }

  untilWritable(): Promise<void> {
    return this.#db.untilWritable();
  }

  /** Forgets everything: the database may have changed. */
  clear(): void {
    this.#kept.clear();
  }
}

/** Open tables, shared and kept for the next caller. A reader in use is never closed. */
import { SrvError, isSrvError } from '@srv/kernel/errors';
import { TableReader } from '../format/index.js';
import { openFile } from './file-access.js';
import type { BlockCache } from '../format/index.js';
import type { OpenFile } from './file-access.js';

/** Where files come from: a path that may be gone a moment later, and a way to report a damaged one. */
interface FileSource {
  path(namespace: string, id: string): Promise<string>;
  discard(namespace: string, id: string): Promise<void>;
}

interface Slot {
  readonly reader: TableReader;
  readonly file: OpenFile;
  users: number;
  /** Higher: used later. */
  lastUse: number;
}

export interface Lease {
  readonly reader: TableReader;
  release(): void;
}

const attempts = 3;

interface ReaderPoolOptions {
  /** Idle readers kept open. */
  readonly limit: number;
  readonly cache?: BlockCache | undefined;
  /** Whether an idle reader keeps what it read ahead, 128 KiB: for callers that continue where another stopped. */
  readonly keepsAhead?: boolean;
}

export class ReaderPool {
  readonly #source: FileSource;
  readonly #options: ReaderPoolOptions;
  readonly #slots = new Map<string, Slot>();
  readonly #opening = new Map<string, Promise<void>>();
  #clock = 0;

  constructor(source: FileSource, options: ReaderPoolOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** @throws SrvError `corrupt` when the file stays unreadable after a fresh download, `no_data` when it is missing. */
  async acquire(namespace: string, id: string): Promise<Lease> {
    const key = `${namespace} ${id}`;
    // A reader that was just opened is not lent yet: it may be closed again before its opener resumes.
    for (;;) {
      const slot = this.#slots.get(key);
      if (slot) return this.#lend(key, slot);
      await this.#openOnce(key, namespace, id);
    }
  }

  /** A reader that is open already, to be used before anything else runs. */
  peek(namespace: string, id: string): TableReader | undefined {
    const slot = this.#slots.get(`${namespace} ${id}`);
    if (slot) slot.lastUse = ++this.#clock;
    return slot?.reader;
  }

  /** Forgets a reader whose blocks are damaged, together with its file. */
  async discard(namespace: string, id: string): Promise<void> {
    const key = `${namespace} ${id}`;
    const slot = this.#slots.get(key);
    this.#slots.delete(key);
    if (slot?.users === 0) slot.file.close();
    await this.#source.discard(namespace, id);
  }

  close(): void {
    for (const slot of this.#slots.values()) if (slot.users === 0) slot.file.close();
    this.#slots.clear();
  }

  #lend(key: string, slot: Slot): Lease {
    slot.users++;
    let released = false;
    return {
      reader: slot.reader,
      release: () => {
        if (released) return;
        released = true;
        slot.users--;
        this.#settle(key, slot);
      },
    };
  }

  /** Notes the use and closes the longest unused readers beyond the limit. */
  #settle(key: string, slot: Slot): void {
    if (slot.users > 0) return;
    if (this.#slots.get(key) !== slot) {
      slot.file.close();
      return;
    }
    slot.lastUse = ++this.#clock;
    if (this.#options.keepsAhead !== true) slot.file.rest();
    // Usually one; more when readers were opened again that had been closed before they were lent.
    while (this.#slots.size > this.#options.limit) {
      const idle = [...this.#slots].filter(([, { users }]) => users === 0);
      if (idle.length === 0) return;
      const [oldest, unused] = idle.reduce((best, entry) => (entry[1].lastUse < best[1].lastUse ? entry : best));
      this.#slots.delete(oldest);
      unused.file.close();
    }
  }

  async #openOnce(key: string, namespace: string, id: string): Promise<void> {
    const running = this.#opening.get(key);
    if (running) return running;
    const opening = this.#open(namespace, id)
      .then(slot => {
        slot.lastUse = ++this.#clock;
        this.#slots.set(key, slot);
      })
      .finally(() => this.#opening.delete(key));
    this.#opening.set(key, opening);
    return opening;
  }

  async #open(namespace: string, id: string): Promise<Slot> {
    for (let attempt = 1; ; attempt++) {
      const path = await this.#source.path(namespace, id);
      let file: OpenFile | undefined;
      try {
        file = openFile(path);
        return { reader: new TableReader(file, this.#options.cache), file, users: 0, lastUse: 0 };
      } catch (error) {
        file?.close();
        const gone = (error as NodeJS.ErrnoException).code === 'ENOENT';
        if (attempt >= attempts || !(gone || isSrvError(error, 'corrupt'))) {
          throw isSrvError(error) ? error : new SrvError('internal', `cannot open metadata file ${id}`, { cause: error });
        }
        await this.#source.discard(namespace, id);
      }
    }
  }
}

/**
 * The key-value contract for the processes of one group, such as the workers of `srv run --workers`. One of them has the
 * database open and serves the others; when it ends, one of the others opens it.
 */

import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { SrvError, checkKey, isSrvError, messageOf, throwIfAborted } from '@srv/kernel';
import { orAborted } from '@srv/lib-stores/kv';
import { inUse } from '../in-use.js';
import { ownerAddress } from './address.js';
import { Owner } from './owner.js';
import { OtherGroup, OwnerGone, RemoteStore } from './remote.js';
import { replyLater } from './reply.js';
import type { Condition, KvEntry, KvStore, KvValue, Logger, ScanOptions } from '@srv/kernel';
import type { LocalKvStore } from '../store.js';
import type { Question, Reply } from './messages.js';

export interface SharedStoreOptions {
  readonly folder: string;
  /** Text that the processes have in common, and no other process has. */
  readonly group: string;
  /** Opens the database. @throws SrvError `unavailable` when another process has. */
  readonly openDatabase: () => Promise<LocalKvStore>;
  readonly log: Logger;
  /** Milliseconds that a request waits for an owner, and a start for one that is opening the database. Default: 15 s. */
  readonly timeoutMs?: number | undefined;
  /** Whether this process may open the database. Default: true. */
  readonly mayOwn?: boolean | undefined;
}

/** Milliseconds between two attempts to open the database or to find its owner. */
const retryMs = 10;
/** The same, when the database does not open although no process uses it. */
const faultMs = 500;
const noKey = Buffer.alloc(0);

type Side = { readonly local: LocalKvStore; readonly owner: Owner } | { readonly remote: RemoteStore };

export class SharedKvStore implements KvStore {
  readonly type = 'local';
  readonly isShared = true;
  readonly isSharedWithPeers = true;
  readonly #options: SharedStoreOptions;
  readonly #timeoutMs: number;
  /** Distinguishes this process from its peers. */
  readonly #name = randomUUID();
  /** The database, once this process has it. */
  #local: LocalKvStore | undefined;
  #owner: Owner | undefined;
  #remote: RemoteStore | undefined;
  #joining: Promise<void> | undefined;
  /** Why the database could not be reached. */
  #reason: unknown;
  #running = 0;
  #onIdle: (() => void) | undefined;
  #closing: Promise<void> | undefined;
  #isClosed = false;

  private constructor(options: SharedStoreOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? 15_000;
  }

  /** @throws SrvError as the database does, `unavailable` when a process that is not of the group has it open. */
  static async open(options: SharedStoreOptions): Promise<SharedKvStore> {
    const store = new SharedKvStore(options);
    const since = performance.now();
    for (;;) {
      try {
        store.#enter(await store.#attempt());
        return store;
      } catch (error) {
        const isFinal = error instanceof OtherGroup || !isTransient(error) || performance.now() - since > store.#timeoutMs;
        if (isFinal) throw isSrvError(error) ? error : inUse(options.folder, error);
      }
      await sleep(retryMs);
    }
  }

  /** Why nothing can be written now, where this process has the database open. */
  get problem(): string | undefined {
    return this.#local?.problem;
  }

  async get(partition: string, key: Buffer, signal?: AbortSignal): Promise<KvValue | undefined> {
    if (this.#local) return this.#local.get(partition, key, signal);
    checkKey(partition, key);
    const reply = await this.#ask({ kind: 'get', partition, key }, signal);
    if (reply.kind !== 'value' || reply.value === undefined) return undefined;
    return { value: reply.value, predicate: { kvPredicate: reply.value } };
  }

  async set(partition: string, key: Buffer, value: Buffer, signal?: AbortSignal): Promise<void> {
    if (this.#local) return this.#local.set(partition, key, value, signal);
    checkKey(partition, key, value);
    await this.#ask({ kind: 'set', partition, key, value }, signal);
  }

  async setIf(partition: string, key: Buffer, value: Buffer, condition: Condition, signal?: AbortSignal): Promise<boolean> {
    if (this.#local) return this.#local.setIf(partition, key, value, condition, signal);
    checkKey(partition, key, value);
    const reply = await this.#ask({ kind: 'setIf', partition, key, value, condition }, signal);
    return reply.kind === 'written' && reply.written;
  }

  async delete(partition: string, key: Buffer, signal?: AbortSignal): Promise<void> {
    if (this.#local) return this.#local.delete(partition, key, signal);
    checkKey(partition, key);
    await this.#ask({ kind: 'delete', partition, key }, signal);
  }

  /** Pages as they are when they are asked for; continues after the last key when another process takes the database over. */
  async *scan(partition: string, { start = noKey, batchSize = 0, signal }: ScanOptions = {}): AsyncGenerator<readonly KvEntry[]> {
    if (partition === '') throw new SrvError('invalid', 'missing partition key');
    for (let [from, size] = [start, batchSize]; ; size = 0) {
      if (this.#local) return yield* this.#local.scan(partition, { start: from, batchSize: size, signal });
      const reply = await this.#ask({ kind: 'page', partition, start: from, size }, signal);
      if (reply.kind !== 'page') throw unexpected(reply);
      const { entries, isLast } = reply.page;
      const last = entries.at(-1);
      if (last) yield entries;
      if (isLast || !last) return;
      from = Buffer.concat([last.key, Buffer.from([0])]);
    }
  }

  /** Finishes what is in progress. The owner closes the database, and a remaining peer opens it. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#running > 0) {
      await new Promise<void>(resolve => {
        this.#onIdle = resolve;
      });
    }
    this.#isClosed = true;
    await this.#joining;
    await this.#remote?.close();
    await this.#owner?.close();
    await this.#local?.close();
  }

  /** Asks the current owner. A read is asked again when the owner ends, and so is a write that cannot have happened. */
  async #ask(question: Question, signal: AbortSignal | undefined): Promise<Reply> {
    if (this.#closing) throw closed();
    throwIfAborted(signal);
    // One signal may stand for any number of requests at a time.
    if (signal) setMaxListeners(0, signal);
    this.#running++;
    const since = performance.now();
    try {
      for (;;) {
        if (this.#local) return await replyLater(this.#local, question, signal);
        if (!this.#remote) await this.#untilJoined(this.#timeoutMs - (performance.now() - since), signal);
        try {
          if (this.#remote) return await this.#remote.ask(question, signal);
        } catch (error) {
          if (!(error instanceof OwnerGone)) throw error;
          const isWrite = question.kind !== 'get' && question.kind !== 'page';
          if (isWrite && error.mayHaveHappened) throw this.#lost('the write may or may not have happened', error);
          if (performance.now() - since > this.#timeoutMs) throw this.#lost('try again', error);
        }
      }
    } finally {
      if (--this.#running === 0) this.#onIdle?.();
    }
  }

  /** Resolves when there is a database or an owner. @throws SrvError `unavailable` when it takes too long. */
  async #untilJoined(timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(this.#lost('nothing was changed; try again', this.#reason)), Math.max(0, timeoutMs));
    });
    try {
      await orAborted(Promise.race([this.#join(), late]), signal);
    } finally {
      clearTimeout(timer);
    }
  }

  #join(): Promise<void> {
    this.#joining ??= this.#tryAll().finally(() => {
      this.#joining = undefined;
    });
    return this.#joining;
  }

  async #tryAll(): Promise<void> {
    while (!this.#isClosed) {
      let pause = retryMs;
      try {
        this.#enter(await this.#attempt());
        return;
      } catch (error) {
        if (!isTransient(error)) {
          this.#options.log.error({ folder: this.#options.folder, error: messageOf(error) }, 'the embedded database cannot be taken over');
          pause = faultMs;
        }
        this.#reason = error;
      }
      await sleep(pause);
    }
  }

  /** Finds the owner, or becomes it. */
  async #attempt(): Promise<Side> {
    const { folder, group, openDatabase, log, mayOwn = true } = this.#options;
    try {
      return { remote: await RemoteStore.connect(await ownerAddress(folder), group, this.#name) };
    } catch (error) {
      if (!mayOwn || error instanceof OtherGroup) throw error;
    }
    const local = await openDatabase();
    try {
      return { local, owner: await Owner.listen({ store: local, folder, group, log }) };
    } catch (error) {
      await local.close();
      throw new SrvError('config', `database.local.path: ${folder}: no socket can be made there (${messageOf(error)})`, { cause: error });
    }
  }

  #enter(side: Side): void {
    if ('local' in side) {
      this.#local = side.local;
      this.#owner = side.owner;
      this.#options.log.info({ folder: this.#options.folder }, 'this process has the embedded database open');
      return;
    }
    const { remote } = side;
    this.#remote = remote;
    remote.onOver = () => {
      this.#remote = undefined;
      // One process must have the database open, even without requests.
      if (!this.#closing) void this.#join();
    };
  }

  #lost(what: string, cause: unknown): SrvError {
    const { folder } = this.#options;
    return new SrvError('unavailable', `the key-value store in ${folder}: the process that has it open has ended; ${what}`, { cause });
  }
}

/** Of a process that joins, or is to become, the owner: another attempt may succeed. */
function isTransient(error: unknown): boolean {
  return !isSrvError(error) || error.code === 'unavailable';
}

function closed(): SrvError {
  return new SrvError('closed', 'the key-value store has been closed');
}

function unexpected({ kind }: Reply): SrvError {
  return new SrvError('unavailable', `the owner of the key-value store answered with ${kind}`);
}

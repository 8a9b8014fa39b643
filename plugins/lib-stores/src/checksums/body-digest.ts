/** Checksums of a body that comes in pieces: small bodies are hashed where they are, large ones in a thread. */

import { startHash } from './hash.js';
import { hashThreads } from './hash-threads.js';
import type { HashName } from './hash.js';
import type { DigestName, HashThreads, ThreadedBody } from './hash-threads.js';
import type { RunningDigest } from './running-digest.js';

/** A kind of checksum that a {@link BodyDigest} can compute. */
export interface DigestKind {
  readonly name: DigestName;
  readonly start: () => RunningDigest;
}

/** A hash as a kind of checksum. */
export function hashKind(name: HashName): DigestKind {
  return { name, start: () => startHash(name) };
}

/**
 * Several checksums of one body, computed over the same bytes. A body that ends before it fills one slot of
 * the threads is hashed at once, in less time than a thread takes to answer.
 */
export class BodyDigest {
  readonly #kinds: readonly DigestKind[];
  readonly #threads: HashThreads;
  #pieces: Buffer[] = [];
  #length = 0;
  #taken = 0;
  #thread: ThreadedBody | undefined;
  #sending: Promise<void> | undefined;
  #ended = false;

  constructor(kinds: readonly DigestKind[], threads: HashThreads = hashThreads) {
    this.#kinds = kinds;
    this.#threads = threads;
  }

  /** Bytes that need not stay any longer: they have been hashed, or copied. */
  get taken(): number {
    return this.#taken;
  }

  /**
   * @param bytes must stay as they are until {@link taken} says otherwise.
   * @returns a promise to await if the threads cannot keep up. Bytes are accepted in any case.
   */
  update(bytes: Buffer): Promise<void> | undefined {
    if (this.#ended || bytes.length === 0) return undefined;
    this.#pieces.push(bytes);
    this.#length += bytes.length;
    if (this.#sending) return this.#sending;
    if (this.#length < this.#threads.slotBytes) return undefined;
    this.#thread ??= this.#threads.begin(this.#kinds.map(({ name }) => name));
    return this.#send(this.#thread, this.#threads.slotBytes);
  }

  /**
   * The checksums, in the order of their kinds; to be called once, after all bytes.
   * @returns no promise if the body was small. @throws SrvError `internal` when the thread died.
   */
  finish(): readonly Buffer[] | Promise<readonly Buffer[]> {
    this.#ended = true;
    return this.#thread ? this.#finishIn(this.#thread) : this.#hashHere();
  }

  /** Frees what an unfinished body holds. Does nothing after {@link finish}. */
  abandon(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#pieces = [];
    this.#length = 0;
    this.#thread?.abandon();
  }

  async #finishIn(thread: ThreadedBody): Promise<readonly Buffer[]> {
    try {
      await this.#sending;
      await this.#send(thread, 1);
    } catch (error) {
      thread.abandon();
      throw error;
    }
    return thread.finish();
  }

  #hashHere(): readonly Buffer[] {
    const digests = this.#kinds.map(({ start }) => start());
    for (const piece of this.#pieces) for (const digest of digests) digest.update(piece);
    this.#pieces = [];
    this.#taken += this.#length;
    return digests.map(digest => digest.digest());
  }

  /** Sends as long as `least` bytes are there. */
  #send(thread: ThreadedBody, least: number): Promise<void> | undefined {
    while (this.#length >= least) {
      const slot = thread.takeSlot();
      if (slot === undefined) return this.#sendLater(thread, least);
      this.#fill(thread, slot);
    }
    return undefined;
  }

  #sendLater(thread: ThreadedBody, least: number): Promise<void> {
    const sent = async (): Promise<void> => {
      while (this.#length >= least) {
        const slot = thread.takeSlot() ?? (await thread.freeSlot());
        // Abandoned while it waited.
        if (this.#length === 0) thread.giveBack(slot);
        else this.#fill(thread, slot);
      }
      this.#sending = undefined;
    };
    this.#sending = sent();
    // A caller that waits, or asks for the checksums, sees the failure.
    this.#sending.catch(() => undefined);
    return this.#sending;
  }

  /** Copies what has gathered into a slot: the pieces themselves belong to the reader of the body. */
  #fill(thread: ThreadedBody, slot: number): void {
    const target = thread.bytesOf(slot);
    let at = 0;
    let used = 0;
    for (const piece of this.#pieces) {
      const copied = Math.min(piece.length, target.length - at);
      // Into shared memory `copy` moves word by word, which takes several times as long.
      if (copied > 0) target.fill(piece, at, at + copied);
      at += copied;
      if (copied < piece.length) {
        this.#pieces[used] = piece.subarray(copied);
        break;
      }
      used++;
    }
    this.#pieces.splice(0, used);
    this.#length -= at;
    this.#taken += at;
    thread.hash(slot, at);
  }
}

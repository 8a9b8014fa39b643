/**
 * Reads a log of LevelDB as a sceptic. LevelDB drops what it cannot read without an error, and cannot distinguish damage from a
 * write that was under way when the machine stopped. The difference lies in what follows: a record that begins after the
 * unreadable bytes was written once those before it were on the disk, so they held acknowledged writes.
 */
import { open } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { blockBytes, claimedEnd, fragment, headerBytes, recordAt } from './log-format.js';

/** Bytes of a file, `end` excluded. */
interface Stretch {
  readonly start: number;
  readonly end: number;
}

export interface LogReport {
  /** Whole records. */
  readonly records: number;
  /** Unreadable bytes with a record that begins after them. */
  readonly damage: readonly Stretch[];
  /** Unreadable bytes at the end: an unfinished write, or damage that looks like one. */
  readonly unfinishedBytes: number;
}

/** Bytes to put through checksums before others get a turn: a few milliseconds. */
const turnBytes = 1 << 20;

/**
 * @param onRecord receives every whole record, in order.
 * @throws the file system's error when the file cannot be read.
 */
export async function checkLog(path: string, onRecord: (record: Buffer) => void = () => {}): Promise<LogReport> {
  const reading = new LogReading(onRecord);
  const file = await open(path, 'r');
  try {
    const block = Buffer.alloc(blockBytes);
    for (let position = 0; ; position += blockBytes) {
      const { bytesRead } = await file.read(block, 0, blockBytes, position);
      if (bytesRead === 0) break;
      await reading.block(Buffer.from(block.subarray(0, bytesRead)), position);
      if (bytesRead < blockBytes) break;
    }
  } finally {
    await file.close();
  }
  return reading.report();
}

class LogReading {
  readonly #onRecord: (record: Buffer) => void;
  readonly #damage: Stretch[] = [];
  /** Unreadable so far without a record that begins after it. */
  #suspects: Stretch[] = [];
  #fragments: Buffer[] = [];
  #fragmentsStart = 0;
  #records = 0;
  #checked = 0;

  constructor(onRecord: (record: Buffer) => void) {
    this.#onRecord = onRecord;
  }

  async block(block: Buffer, position: number): Promise<void> {
    // What follows the last header that fits is padding.
    for (let at = 0; at + headerBytes <= block.length || (at < block.length && block.length < blockBytes); ) {
      const found = recordAt(block, at);
      await this.#spend((found?.end ?? block.length) - at);
      if (found) {
        this.#take(found.type, block.subarray(at + headerBytes, found.end), position + at, position + found.end);
        at = found.end;
      } else {
        const next = await this.#nextRecord(block, at + 1);
        this.#suspect(position + at, position + next);
        at = next;
      }
    }
  }

  report(): LogReport {
    const unfinished = [...this.#suspects];
    if (this.#fragments.length > 0) unfinished.push({ start: this.#fragmentsStart, end: this.#fragmentsStart + lengthOf(this.#fragments) });
    return {
      records: this.#records,
      damage: this.#damage,
      unfinishedBytes: unfinished.reduce((sum, { start, end }) => sum + end - start, 0),
    };
  }

  #take(type: number, payload: Buffer, start: number, end: number): void {
    if (type === fragment.full || type === fragment.first) {
      if (this.#fragments.length > 0) this.#suspect(this.#fragmentsStart, start);
      this.#fragments = [];
      this.#damage.push(...this.#suspects);
      this.#suspects = [];
      if (type === fragment.full) {
        this.#whole(payload);
        return;
      }
      this.#fragmentsStart = start;
      this.#fragments = [payload];
    } else if (this.#fragments.length === 0) this.#suspect(start, end);
    else {
      this.#fragments.push(payload);
      if (type !== fragment.last) return;
      const record = Buffer.concat(this.#fragments);
      this.#fragments = [];
      this.#whole(record);
    }
  }

  #whole(record: Buffer): void {
    this.#records++;
    this.#onRecord(record);
  }

  /** Marks bytes as unreadable, with the fragments of the record they interrupt. */
  #suspect(start: number, end: number): void {
    const from = this.#fragments.length > 0 ? this.#fragmentsStart : start;
    this.#fragments = [];
    const last = this.#suspects.at(-1);
    if (last !== undefined && last.end >= from) this.#suspects.splice(-1, 1, { start: Math.min(last.start, from), end });
    else this.#suspects.push({ start: from, end });
  }

  /** Where in the block the next valid record begins, else the end of the block. */
  async #nextRecord(block: Buffer, from: number): Promise<number> {
    for (let at = from; at + headerBytes <= block.length; at++) {
      const claimed = claimedEnd(block, at);
      if (claimed === undefined) continue;
      await this.#spend(claimed - at);
      if (recordAt(block, at)) return at;
    }
    return block.length;
  }

  async #spend(bytes: number): Promise<void> {
    this.#checked += bytes;
    if (this.#checked < turnBytes) return;
    this.#checked = 0;
    await nextTurn();
  }
}

function lengthOf(buffers: readonly Buffer[]): number {
  return buffers.reduce((sum, { length }) => sum + length, 0);
}

/** Cuts a text into blocks that end where a record ends, so that each can be read alone. */
import type { ByteSource } from './byte-source.js';

export interface Block {
  /** Of its first byte. */
  readonly offset: number;
  readonly bytes: Uint8Array;
  /** The file ends with it. */
  readonly isLast: boolean;
}

/** Finds the ends of records in the order of the bytes. */
export interface RecordEnds {
  /** @returns the place after the last record that ends in `bytes`; 0 without one. Keeps its state for what follows. */
  last(bytes: Uint8Array): number;
}

/** Bytes that are fetched at once. */
const step = 1024 * 1024;
/** A longer record is not read. */
const mostRecord = 256 * 1024 * 1024;

/** @param from where a record begins. */
export async function* recordBlocks(source: ByteSource, from: number, ends: RecordEnds): AsyncGenerator<Block> {
  /** Of the record that has not ended yet; joined once it has, so that a long one costs no more than its length. */
  let rest: Uint8Array[] = [];
  let restLength = 0;
  let next = fetchAt(source, from);
  for (let at = from; at < source.size; ) {
    const bytes = await next;
    at += bytes.length;
    next = fetchAt(source, at);
    next.catch(() => undefined);
    const end = ends.last(bytes);
    const offset = at - bytes.length - restLength;
    const isLast = at >= source.size;
    if (end === 0 && !isLast) {
      rest.push(bytes);
      restLength += bytes.length;
      if (restLength > mostRecord) throw new Error(`the record at byte ${offset} is longer than ${mostRecord} bytes`);
      continue;
    }
    yield { offset, bytes: joined([...rest, isLast ? bytes : bytes.subarray(0, end)]), isLast };
    rest = [bytes.slice(end)];
    restLength = bytes.length - end;
  }
}

async function fetchAt(source: ByteSource, at: number): Promise<Uint8Array> {
  return at >= source.size ? new Uint8Array() : source.read(at, Math.min(source.size, at + step));
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const filled = parts.filter(({ length }) => length > 0);
  if (filled.length === 1 && filled[0] !== undefined) return filled[0];
  const all = new Uint8Array(filled.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const part of filled) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const [lineFeed, carriageReturn, quote] = [10, 13, 34];

/** Every line is a record. */
export class LineEnds implements RecordEnds {
  last(bytes: Uint8Array): number {
    return bytes.lastIndexOf(lineFeed) + 1;
  }
}

/** RFC 4180: line ends in quotes belong to a field; quotes count at the beginning of a field only. */
export class DelimitedEnds implements RecordEnds {
  readonly #delimiter: number;
  #isQuoted = false;
  /** The byte before was a quote within quotes: the end of the field, or the first of two. */
  #mayEnd = false;
  #isStart = true;

  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  last(bytes: Uint8Array): number {
    let end = 0;
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] ?? 0;
      if (this.#isQuoted && !this.#mayEnd) {
        if (byte === quote) this.#mayEnd = true;
        continue;
      }
      if (this.#mayEnd) {
        this.#mayEnd = false;
        if (byte === quote) continue;
        this.#isQuoted = false;
        this.#isStart = false;
      }
      if (byte === quote && this.#isStart) this.#isQuoted = true;
      else if (byte === lineFeed || byte === carriageReturn) {
        this.#isStart = true;
        // Of the two of a line end the second one ends the record, so that a block never begins between them.
        if (byte === lineFeed || (i + 1 < bytes.length && bytes[i + 1] !== lineFeed)) end = i + 1;
      } else this.#isStart = byte === this.#delimiter;
    }
    return end;
  }
}

/** Protocol-buffer wire format, as much of it as the records of this product need: varints, strings, bytes, messages. */
import { SrvError } from '@srv/kernel/errors';
import { readVarint } from './varint.js';
import type { VarintResult } from './varint.js';

const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** A point in time with the full precision of a stored timestamp. */
export interface Timestamp {
  /** Unix seconds, may be negative. */
  readonly seconds: number;
  /** 0 to 999999999. */
  readonly nanos: number;
}

export function timestampOf(date: Date): Timestamp {
  const ms = date.getTime();
  const seconds = Math.floor(ms / 1000);
  return { seconds, nanos: (ms - seconds * 1000) * 1e6 };
}

/** Milliseconds since 1970: more than a Date can hold where seconds are beyond its range. */
export function timeOf({ seconds, nanos }: Timestamp): number {
  return seconds * 1000 + Math.floor(nanos / 1e6);
}

export function dateOf(timestamp: Timestamp): Date {
  return new Date(timeOf(timestamp));
}

/** Builds one message. Fields go out in the order written; zero and empty values are left out unless said otherwise. */
export class ProtoWriter {
  #bytes = Buffer.allocUnsafe(256);
  #length = 0;

  /** Whole number from -2^53 to 2^53; negative ones take ten bytes, as in int32 and int64 fields. */
  int(field: number, value: number): this {
    if (value === 0) return this;
    this.#tag(field, wire.varint);
    this.#varint(value);
    return this;
  }

  bool(field: number, value: boolean): this {
    return this.int(field, value ? 1 : 0);
  }

  bytes(field: number, value: Uint8Array, always = false): this {
    if (value.length === 0 && !always) return this;
    this.#tag(field, wire.bytes);
    this.#varint(value.length);
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
    return this;
  }

  string(field: number, value: string, always = false): this {
    return this.bytes(field, Buffer.from(value, 'utf8'), always);
  }

  strings(field: number, values: readonly string[]): this {
    for (const value of values) this.string(field, value, true);
    return this;
  }

  /** Keys in byte order, so that equal maps give equal bytes; key and value are written even when empty. */
  map(field: number, values: Readonly<Record<string, string>>): this {
    for (const [key, value] of sortedEntries(values)) {
      this.bytes(field, new ProtoWriter().string(1, key, true).string(2, value, true).finish(), true);
    }
    return this;
  }

  /** Fields as they were read, such as those of a newer release. */
  raw(fields: readonly Buffer[]): this {
    for (const bytes of fields) {
      this.#reserve(bytes.length);
      this.#length += bytes.copy(this.#bytes, this.#length);
    }
    return this;
  }

  message(field: number, content: Buffer | undefined): this {
    return content === undefined ? this : this.bytes(field, content, true);
  }

  timestamp(field: number, value: Timestamp | undefined): this {
    return this.message(field, value && new ProtoWriter().int(1, value.seconds).int(2, value.nanos).finish());
  }

  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  #tag(field: number, type: number): void {
    this.#varint(field * 8 + type);
  }

  #varint(value: number): void {
    this.#reserve(10);
    if (value < 0) {
      let rest = BigInt.asUintN(64, BigInt(value));
      for (; rest >= 0x80n; rest >>= 7n) this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80;
      this.#bytes[this.#length++] = Number(rest);
      return;
    }
    while (value >= 0x80) {
      this.#bytes[this.#length++] = (value % 0x80) | 0x80;
      value = Math.floor(value / 0x80);
    }
    this.#bytes[this.#length++] = value;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + more));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/** One field as found. Of `int` and `bytes` one is meaningful, by its kind. Bytes are copied out on demand. */
class ProtoField {
  protected readonly message: Buffer;
  protected number = 0;
  protected value = 0;
  /** Of the tag; `begin` and `end` are those of the bytes. */
  protected start = 0;
  protected begin = 0;
  protected end = 0;

  constructor(message: Buffer, from?: ProtoField) {
    this.message = message;
    if (!from) return;
    this.number = from.number;
    this.value = from.value;
    this.start = from.start;
    this.begin = from.begin;
    this.end = from.end;
  }

  /** Number of the field. */
  get field(): number {
    return this.number;
  }

  /** Value of a field that is a varint. */
  get int(): number {
    return this.value;
  }

  get bytes(): Buffer {
    return this.message.subarray(this.begin, this.end);
  }

  /** The bytes as UTF-8. */
  get text(): string {
    return this.message.toString('utf8', this.begin, this.end);
  }

  /** The field as encoded, tag included: to carry unknown fields along. */
  get raw(): Buffer {
    return this.message.subarray(this.start, this.end);
  }
}

/**
 * Reads a message field by field in wire order, unknown ones included, and allocates only what the caller requests. Its
 * members are those of the field under it:
 *
 * ```ts
 * const reader = new ProtoReader(message, 'tag record');
 * while (reader.next()) if (reader.field === 1) id = reader.text;
 * ```
 */
export class ProtoReader extends ProtoField {
  readonly #what: string;
  readonly #from: number;
  readonly #to: number;
  readonly #varint: VarintResult = { value: 0, next: 0 };

  /** @param what for messages: `tag record`. @param from and `to` bound the message in its bytes. */
  constructor(message: Buffer, what: string, from = 0, to = message.length) {
    super(message);
    this.#what = what;
    this.#from = from;
    this.#to = to;
    this.end = from;
  }

  /** Goes to the next field; false at the end. @throws SrvError `corrupt` for a malformed message. */
  next(): boolean {
    const start = this.end;
    if (start >= this.#to) return false;
    const tag = this.#unsigned(start, 'a field tag');
    const type = tag % 8;
    this.start = start;
    this.number = (tag - type) / 8;
    this.value = 0;
    const at = this.#varint.next;
    if (this.number === 0) throw this.#bad(at, 'a field number above 0');
    if (type === wire.varint) {
      this.value = this.#signed(at);
      this.begin = this.end = this.#varint.next;
      return true;
    }
    if (type === wire.bytes) {
      const length = this.#unsigned(at, 'a length');
      this.begin = this.#varint.next;
      this.#take(length);
      return true;
    }
    if (type !== wire.fixed64 && type !== wire.fixed32) throw this.#bad(at, 'a known wire type');
    this.begin = at;
    this.#take(type === wire.fixed64 ? 8 : 4);
    return true;
  }

  /** The bytes as a timestamp. */
  get timestamp(): Timestamp {
    return timestampIn(this.#inside);
  }

  /** The bytes as an entry of a `map<string,string>`. */
  get mapEntry(): [string, string] {
    return mapEntryIn(this.#inside);
  }

  /** A copy of the field that stays valid when the reader advances. */
  get kept(): ProtoField {
    return new ProtoField(this.message, this);
  }

  get #inside(): ProtoReader {
    return new ProtoReader(this.message, this.#what, this.begin, this.end);
  }

  #take(length: number): void {
    if (length > this.#to - this.begin) throw this.#bad(this.begin, `at most ${this.#to - this.begin} bytes`);
    this.end = this.begin + length;
  }

  #unsigned(at: number, expected: string): number {
    if (!readVarint(this.message, at, this.#to, this.#varint)) throw this.#bad(at, expected);
    return this.#varint.value;
  }

  /** An int32/int64 varint; ten-byte encodings are negative numbers. */
  #signed(at: number): number {
    if (readVarint(this.message, at, this.#to, this.#varint)) return this.#varint.value;
    let value = 0n;
    for (let i = 0; i < 10 && at + i < this.#to; i++) {
      const byte = this.message[at + i] ?? 0;
      value |= BigInt(byte & 0x7f) << BigInt(7 * i);
      if (byte < 0x80) {
        this.#varint.next = at + i + 1;
        return Number(BigInt.asIntN(64, value));
      }
    }
    throw this.#bad(at, 'a varint');
  }

  #bad(at: number, expected: string): SrvError {
    return new SrvError('corrupt', `${this.#what}: byte ${at - this.#from}: expected ${expected}`);
  }
}

const noBytes = Buffer.alloc(0);

/** Fields of a message in wire order, for messages that are read seldom. @throws SrvError `corrupt` as {@link ProtoReader}. */
export function* readFields(message: Buffer, what: string): Generator<ProtoField> {
  for (const reader = new ProtoReader(message, what); reader.next(); ) yield reader.kept;
}

/** A message's fields by number; of repeated single fields the last one counts. */
export interface ProtoMessage {
  /** Empty when absent. */
  text(field: number): string;
  bytes(field: number): Buffer;
  /** 0 when absent. */
  int(field: number): number;
  /** Every occurrence of a field of bytes, in order. */
  all(field: number): readonly Buffer[];
}

/** Takes a message apart. @throws SrvError `corrupt`. */
export function readMessage(message: Buffer, what: string): ProtoMessage {
  const fields = [...readFields(message, what)];
  const last = (field: number): ProtoField | undefined => fields.findLast(f => f.field === field);
  return {
    text: field => last(field)?.text ?? '',
    bytes: field => last(field)?.bytes ?? noBytes,
    int: field => last(field)?.int ?? 0,
    all: field => fields.filter(f => f.field === field).map(f => f.bytes),
  };
}

/** A `map<string,string>` entry as a pair. */
export function readMapEntry(bytes: Buffer, what: string): [string, string] {
  return mapEntryIn(new ProtoReader(bytes, what));
}

export function readTimestamp(bytes: Buffer, what: string): Timestamp {
  return timestampIn(new ProtoReader(bytes, what));
}

function mapEntryIn(reader: ProtoReader): [string, string] {
  let key = '';
  let value = '';
  while (reader.next()) {
    if (reader.field === 1) key = reader.text;
    else if (reader.field === 2) value = reader.text;
  }
  return [key, value];
}

function timestampIn(reader: ProtoReader): Timestamp {
  let seconds = 0;
  let nanos = 0;
  while (reader.next()) {
    if (reader.field === 1) seconds = reader.int;
    else if (reader.field === 2) nanos = reader.int;
  }
  return { seconds, nanos };
}

/** Entries with keys in byte order of their UTF-8 form. */
export function sortedEntries(values: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(values).sort(([a], [b]) => Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8')));
}

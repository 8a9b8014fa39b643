/** Just enough of the protobuf wire format for the stored records: varints and length-delimited fields. */
import { SrvError } from '@srv/kernel';

/** Values of one message by field number, in the order found. */
export interface Fields {
  readonly text: (field: number) => string;
  readonly bytes: (field: number) => Buffer;
  readonly number: (field: number) => bigint;
  readonly all: (field: number) => readonly Buffer[];
}

export class Writer {
  readonly #parts: Buffer[] = [];

  /** Empty values are left out, as every protobuf 3 encoder does. */
  text(field: number, value: string | undefined): this {
    return this.bytes(field, value === undefined ? undefined : Buffer.from(value, 'utf8'));
  }

  bytes(field: number, value: Uint8Array | undefined): this {
    return value === undefined || value.length === 0 ? this : this.#delimited(field, value);
  }

  /** Written even when empty: a message that is present, or an element of a list. */
  message(field: number, value: Uint8Array): this {
    return this.#delimited(field, value);
  }

  /** Signed 64-bit; zero is left out. */
  int(field: number, value: bigint): this {
    if (value !== 0n) this.#parts.push(varint(BigInt(field << 3)), varint(BigInt.asUintN(64, value)));
    return this;
  }

  finish(): Buffer {
    return Buffer.concat(this.#parts);
  }

  #delimited(field: number, value: Uint8Array): this {
    this.#parts.push(varint(BigInt((field << 3) | 2)), varint(BigInt(value.length)), Buffer.from(value));
    return this;
  }
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

/** Takes a message apart; unknown fields stay unread. @throws SrvError `corrupt`. */
export function parseMessage(source: Buffer): Fields {
  const blocks = new Map<number, Buffer[]>();
  const numbers = new Map<number, bigint>();
  const reader = { source, at: 0 };
  while (reader.at < source.length) {
    const tag = Number(readVarint(reader));
    const field = tag >>> 3;
    if (field === 0) throw damaged();
    switch (tag & 7) {
      case 0:
        numbers.set(field, readVarint(reader));
        break;
      case 1:
        readBlock(reader, 8);
        break;
      case 2:
        blocks.set(field, [...(blocks.get(field) ?? []), readBlock(reader, Number(readVarint(reader)))]);
        break;
      case 5:
        readBlock(reader, 4);
        break;
      default:
        throw damaged();
    }
  }
  const last = (field: number): Buffer => blocks.get(field)?.at(-1) ?? Buffer.alloc(0);
  return {
    text: field => last(field).toString('utf8'),
    bytes: last,
    number: field => BigInt.asIntN(64, numbers.get(field) ?? 0n),
    all: field => blocks.get(field) ?? [],
  };
}

interface Reader {
  readonly source: Buffer;
  at: number;
}

function readVarint(reader: Reader): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = reader.source[reader.at++];
    if (byte === undefined) throw damaged();
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asUintN(64, value);
  }
  throw damaged();
}

function readBlock(reader: Reader, length: number): Buffer {
  const end = reader.at + length;
  if (end > reader.source.length) throw damaged();
  const block = reader.source.subarray(reader.at, end);
  reader.at = end;
  return block;
}

function damaged(): SrvError {
  return new SrvError('corrupt', 'a stored record of the auth partition does not decode');
}

/** Fields of a message of Protocol Buffers, without its description. Numbers keep all 64 bits. */

/** A number for varints and fixed fields, bytes for all others. */
export type FieldValue = bigint | Uint8Array;

const damaged = (): Error => new Error('the description of this file is damaged');

/** By number of the field, in the order of the message. @throws Error for bytes that are not a message. */
export function fieldsOf(bytes: Uint8Array): ReadonlyMap<number, readonly FieldValue[]> {
  const reader = new FieldReader(bytes);
  const fields = new Map<number, FieldValue[]>();
  while (!reader.isAtEnd) {
    const tag = reader.varint();
    const number = Number(tag >> 3n);
    const value = reader.value(Number(tag & 7n));
    const known = fields.get(number);
    if (known) known.push(value);
    else fields.set(number, [value]);
  }
  return fields;
}

/** Numbers of a packed field. */
export function packedNumbers(bytes: Uint8Array): readonly number[] {
  const reader = new FieldReader(bytes);
  const numbers: number[] = [];
  while (!reader.isAtEnd) numbers.push(Number(reader.varint()));
  return numbers;
}

/** The signed number of its zigzag form. */
export const zigzag = (value: bigint): bigint => (value >> 1n) ^ -(value & 1n);

class FieldReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw damaged();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw damaged();
  }

  value(wire: number): FieldValue {
    if (wire === 0) return this.varint();
    if (wire === 1) return this.#take(8);
    if (wire === 5) return this.#take(4);
    if (wire !== 2) throw damaged();
    const length = this.varint();
    if (length > BigInt(this.#bytes.length - this.#at)) throw damaged();
    return this.#take(Number(length));
  }

  #take(count: number): Uint8Array {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw damaged();
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }
}

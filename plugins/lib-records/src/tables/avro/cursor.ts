/** Reads values of a block, one after the other. */
import { AvroError } from './error.js';
import type { AvroType } from './schema.js';

/** Values that may be read per byte: those that take no bytes are counted as well. */
const valuesPerByte = 16;
const spareValues = 1024;

export class AvroCursor<Bytes extends Uint8Array = Uint8Array> {
  readonly #bytes: Bytes;
  readonly #view: DataView;
  #at = 0;
  #left: number;

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#left = bytes.length * valuesPerByte + spareValues;
  }

  get at(): number {
    return this.#at;
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Bytes that were read since. */
  since(start: number): Bytes {
    return this.#bytes.subarray(start, this.#at) as Bytes;
  }

  take(length: number): Bytes {
    this.#pass(length);
    return this.since(this.#at - length);
  }

  float(): number {
    this.#pass(4);
    return this.#view.getFloat32(this.#at - 4, true);
  }

  double(): number {
    this.#pass(8);
    return this.#view.getFloat64(this.#at - 8, true);
  }

  boolean(): boolean {
    return this.#byte() !== 0;
  }

  long(): bigint {
    let [low, shift] = [0, 0];
    // Most integers are small.
    for (; shift < 28; shift += 7) {
      const byte = this.#byte();
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt((low >>> 1) ^ -(low & 1));
    }
    let value = BigInt(low);
    for (let wide = 28n; wide < 70n; wide += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << wide;
      if (byte < 0x80) return BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n));
    }
    throw new AvroError('an integer of it has more than 64 bits');
  }

  /** A length, an index or a count. */
  small(): number {
    const value = Number(this.long());
    if (!Number.isSafeInteger(value)) throw new AvroError('a length of it is impossible');
    return value;
  }

  /** The branch of a union that comes next. */
  branch(branches: readonly AvroType[]): AvroType {
    const branch = branches[this.small()];
    if (!branch) throw new AvroError('a value of it has a type that its schema does not name');
    return branch;
  }

  skip(type: AvroType): void {
    this.count();
    switch (type.kind) {
      case 'null':
        return;
      case 'boolean':
        this.#byte();
        return;
      case 'int':
      case 'long':
      case 'enum':
        while (this.#byte() >= 0x80);
        return;
      case 'float':
        this.#pass(4);
        return;
      case 'double':
        this.#pass(8);
        return;
      case 'bytes':
      case 'string':
        this.#pass(this.small());
        return;
      case 'fixed':
        this.#pass(type.size);
        return;
      case 'union':
        this.skip(this.branch(type.branches));
        return;
      case 'record':
        for (const field of type.fields) this.skip(field.type);
        return;
      case 'array':
      case 'map':
        this.items(type.kind, () => this.skip(type.items));
    }
  }

  /** Calls `item` at each item of a list or a map; with the name of the item in a map. */
  items(kind: 'array' | 'map', item: (name?: Bytes) => void): void {
    for (let count = this.small(); count !== 0; count = this.small()) {
      // With a negative count, the bytes of the items follow.
      if (count < 0) this.small();
      for (let i = Math.abs(count); i > 0; i--) {
        if (kind === 'map') item(this.take(this.small()));
        else item();
      }
    }
  }

  /** Before each value: those that take no bytes are bounded as well. */
  count(): void {
    if (--this.#left < 0) throw new AvroError('it claims to hold more values than its bytes can');
  }

  #pass(length: number): void {
    if (length < 0 || length > this.#bytes.length - this.#at) throw new AvroError('it ends within a value');
    this.#at += length;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new AvroError('it ends within a value');
    return byte;
  }
}

/** Reads values of a block, one after the other. */
import { AvroError } from './error.js';
import type { AvroRecord, AvroType } from './schema.js';

/** A value as it is read: integers are `bigint`, lists arrays, maps arrays of their values, records by the ids of their fields. */
export type AvroValue = null | boolean | bigint | number | Buffer | string | AvroValue[] | AvroFields;
export type AvroFields = ReadonlyMap<number, AvroValue>;

/** Values that may be read per byte: those that take no bytes are counted as well. */
const valuesPerByte = 16;
const spareValues = 1024;

export class Cursor {
  readonly #bytes: Buffer;
  #at = 0;
  #left: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#left = bytes.length * valuesPerByte + spareValues;
  }

  get at(): number {
    return this.#at;
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Bytes that were read since. */
  since(start: number): Buffer {
    return this.#bytes.subarray(start, this.#at);
  }

  take(length: number): Buffer {
    if (length < 0 || length > this.#bytes.length - this.#at) throw new AvroError('it ends within a value');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
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

  read(type: AvroType): AvroValue {
    this.#count();
    switch (type.kind) {
      case 'null':
        return null;
      case 'boolean':
        return this.#byte() !== 0;
      case 'int':
      case 'long':
      case 'enum':
        return this.long();
      case 'float':
        return this.take(4).readFloatLE();
      case 'double':
        return this.take(8).readDoubleLE();
      case 'bytes':
        return this.take(this.small());
      case 'string':
        return this.take(this.small()).toString('utf8');
      case 'fixed':
        return this.take(type.size);
      case 'union':
        return this.read(this.branch(type.branches));
      case 'record':
        return this.fields(type);
      case 'array':
      case 'map': {
        const found: AvroValue[] = [];
        this.#items(type, () => void found.push(this.read(type.items)));
        return found;
      }
    }
  }

  /** @param wanted ids; absent: all. */
  fields({ fields }: AvroRecord, wanted?: ReadonlySet<number>): AvroFields {
    const found = new Map<number, AvroValue>();
    for (const { id, type } of fields)
      if (id !== undefined && (!wanted || wanted.has(id))) found.set(id, this.read(type));
      else this.skip(type);
    return found;
  }

  skip(type: AvroType): void {
    this.#count();
    switch (type.kind) {
      case 'null':
        return;
      case 'boolean':
        this.take(1);
        return;
      case 'int':
      case 'long':
      case 'enum':
        while (this.#byte() >= 0x80);
        return;
      case 'float':
        this.take(4);
        return;
      case 'double':
        this.take(8);
        return;
      case 'bytes':
      case 'string':
        this.take(this.small());
        return;
      case 'fixed':
        this.take(type.size);
        return;
      case 'union':
        this.skip(this.branch(type.branches));
        return;
      case 'record':
        for (const field of type.fields) this.skip(field.type);
        return;
      case 'array':
      case 'map':
        this.#items(type, () => this.skip(type.items));
    }
  }

  #items({ kind }: { readonly kind: 'array' | 'map' }, item: () => void): void {
    for (let count = this.small(); count !== 0; count = this.small()) {
      // With a negative count, the bytes of the items follow.
      if (count < 0) this.small();
      for (let i = Math.abs(count); i > 0; i--) {
        if (kind === 'map') this.take(this.small());
        item();
      }
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new AvroError('it ends within a value');
    return byte;
  }

  #count(): void {
    if (--this.#left < 0) throw new AvroError('it claims to hold more values than its bytes can');
  }
}

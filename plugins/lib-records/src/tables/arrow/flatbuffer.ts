/** Tables of FlatBuffers, as far as Arrow uses them. Places beyond the bytes are errors of `DataView`. */
import { ArrowError } from './error.js';

/** A table, whose fields are found by their numbers in the schema. */
export class FlatTable {
  readonly #view: DataView;
  readonly #at: number;

  private constructor(view: DataView, at: number) {
    this.#view = view;
    this.#at = at;
  }

  static root(bytes: Uint8Array): FlatTable {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new FlatTable(view, view.getUint32(0, true));
  }

  byte(field: number, otherwise = 0): number {
    const at = this.#place(field);
    return at === undefined ? otherwise : this.#view.getUint8(at);
  }

  short(field: number, otherwise = 0): number {
    const at = this.#place(field);
    return at === undefined ? otherwise : this.#view.getInt16(at, true);
  }

  int(field: number, otherwise = 0): number {
    const at = this.#place(field);
    return at === undefined ? otherwise : this.#view.getInt32(at, true);
  }

  /** @throws Error for numbers that no size can have. */
  long(field: number): number {
    const at = this.#place(field);
    return at === undefined ? 0 : longAt(this.#view, at);
  }

  /** A number that names something, of any size. */
  name(field: number): bigint {
    const at = this.#place(field);
    return at === undefined ? 0n : this.#view.getBigInt64(at, true);
  }

  text(field: number): string | undefined {
    const at = this.#target(field);
    if (at === undefined) return undefined;
    const length = this.#view.getUint32(at, true);
    if (at + 4 + length > this.#view.byteLength) throw new ArrowError('a text of it is too long');
    return new TextDecoder().decode(new Uint8Array(this.#view.buffer, this.#view.byteOffset + at + 4, length));
  }

  table(field: number): FlatTable | undefined {
    const at = this.#target(field);
    return at === undefined ? undefined : new FlatTable(this.#view, at);
  }

  tables(field: number): FlatTable[] {
    return this.#items(field, 4, at => new FlatTable(this.#view, at + this.#view.getUint32(at, true)));
  }

  ints(field: number): number[] {
    return this.#items(field, 4, at => this.#view.getInt32(at, true));
  }

  longs(field: number): number[] {
    return this.#items(field, 8, at => longAt(this.#view, at));
  }

  /** Structs of numbers of 64 bits. @param members of each. */
  structs(field: number, members: number): number[][] {
    return this.#items(field, members * 8, at => Array.from({ length: members }, (_, i) => longAt(this.#view, at + i * 8)));
  }

  #items<T>(field: number, size: number, read: (at: number) => T): T[] {
    const at = this.#target(field);
    if (at === undefined) return [];
    const length = this.#view.getUint32(at, true);
    if (at + 4 + length * size > this.#view.byteLength) throw new ArrowError('a list of it is too long');
    return Array.from({ length }, (_, i) => read(at + 4 + i * size));
  }

  #target(field: number): number | undefined {
    const at = this.#place(field);
    return at === undefined ? undefined : at + this.#view.getUint32(at, true);
  }

  /** Absent: the field has its default. */
  #place(field: number): number | undefined {
    const vtable = this.#at - this.#view.getInt32(this.#at, true);
    const slot = 4 + field * 2;
    if (slot + 2 > this.#view.getUint16(vtable, true)) return undefined;
    const offset = this.#view.getUint16(vtable + slot, true);
    return offset === 0 ? undefined : this.#at + offset;
  }
}

function longAt(view: DataView, at: number): number {
  const value = Number(view.getBigInt64(at, true));
  if (!Number.isSafeInteger(value) || value < 0) throw new ArrowError('a size of it is impossible');
  return value;
}

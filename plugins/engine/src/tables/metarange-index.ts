/** Finds the range around a key: descriptors decoded once while they are few, looked up in the table beyond that. */
import { decodeDescriptor } from './format/index.js';
import type { RangeDescriptor, TableReader } from './format/index.js';

/** Descriptors kept in memory per metarange. */
const maxDecoded = 2048;

export class MetarangeIndex {
  readonly #reader: TableReader;
  /** In ascending order; absent when there are too many. */
  readonly #ranges: RangeDescriptor[] | undefined;

  constructor(reader: TableReader) {
    this.#reader = reader;
    const ranges: RangeDescriptor[] = [];
    const cursor = reader.cursor();
    for (cursor.first(); cursor.valid && ranges.length <= maxDecoded; cursor.next()) ranges.push(decodeDescriptor(cursor.value));
    this.#ranges = ranges.length <= maxDecoded ? ranges : undefined;
  }

  /** The range whose bounds enclose `key`. */
  find(key: Buffer): RangeDescriptor | undefined {
    const range = this.#ranges ? firstNotBelow(this.#ranges, key) : this.#search(key);
    return range !== undefined && Buffer.compare(range.minKey, key) <= 0 ? range : undefined;
  }

  #search(key: Buffer): RangeDescriptor | undefined {
    const cursor = this.#reader.cursor(true);
    cursor.seek(key);
    return cursor.valid ? decodeDescriptor(cursor.value) : undefined;
  }
}

function firstNotBelow(ranges: readonly RangeDescriptor[], key: Buffer): RangeDescriptor | undefined {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (Buffer.compare(ranges[middle]?.maxKey ?? key, key) < 0) low = middle + 1;
    else high = middle;
  }
  return ranges[low];
}

/** How many different values there are: exactly as long as they can be kept, then by HyperLogLog, which is off by about one percent. */

const bits = 14;
const registers = 2 ** bits;

export class DistinctCount {
  readonly #highest = new Uint8Array(registers);

  /** @param high and `low`: 64 bits that look random. */
  add(high: number, low: number): void {
    const register = low & (registers - 1);
    const rank = Math.clz32(high) + 1;
    if (rank > (this.#highest[register] ?? 0)) this.#highest[register] = rank;
  }

  estimate(): number {
    let sum = 0;
    let empty = 0;
    for (const rank of this.#highest) {
      sum += 2 ** -rank;
      if (rank === 0) empty++;
    }
    const raw = ((0.7213 / (1 + 1.079 / registers)) * registers * registers) / sum;
    const isFew = raw <= 2.5 * registers && empty > 0;
    return Math.round(isFew ? registers * Math.log(registers / empty) : raw);
  }
}

const numberBytes = new DataView(new ArrayBuffer(8));

/** Counts a number, mixed into 64 bits that look random. */
export function addNumber(to: DistinctCount, value: number | bigint): void {
  const number = Number(value);
  if (typeof value === 'bigint' && !Number.isSafeInteger(number)) numberBytes.setBigInt64(0, BigInt.asIntN(64, value));
  else numberBytes.setFloat64(0, number);
  let high = numberBytes.getInt32(0);
  let low = numberBytes.getInt32(4);
  // The finalizer of MurmurHash3, on both halves and across them.
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low, 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (low >>> 15), 0x9e3779b1);
  high ^= high >>> 16;
  low ^= low >>> 13;
  to.add(high, low);
}

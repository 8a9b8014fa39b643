/** Chance that can be repeated. */

/** Draws that depend on the seed alone. */
export class Random {
  #state: number;

  constructor(...seeds: readonly number[]) {
    this.#state = seeds.reduce((state, seed) => Math.imul(state ^ seed, 0x9e3779b1) ^ (state >>> 15), 0x2545f491) >>> 0;
  }

  /** From 0 up to, but not, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to, but not, `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(values: readonly T[]): T {
    const picked = values[this.below(values.length)];
    if (picked === undefined) throw new Error('nothing to pick from');
    return picked;
  }

  /** Between none and `most` results of `make`. */
  some<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.below(most + 1) }, make);
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}

const awkward = [
  '\0',
  '\n',
  '\r',
  '\r\n',
  '%',
  '%00',
  '%zz',
  '+',
  '"',
  "'",
  '<',
  '>',
  '&',
  ';',
  '=',
  '/',
  '//',
  '..',
  '\u00fc',
  '\u{1f600}',
  '\ud800',
  ' ',
];

/** Text in which awkward characters are common. */
export function anyText(random: Random, most = 20): string {
  return random.some(most, () => (random.chance(0.3) ? random.pick(awkward) : String.fromCharCode(0x20 + random.below(0x5f)))).join('');
}

/** Text that can stand in a header line. */
export function lineText(random: Random, most = 30): string {
  return anyText(random, most).replace(/[\r\n\0]|[^\0-\xff]/g, '');
}

/** A few bytes flipped, left out, repeated, put in, or everything cut off. */
export function mutate(random: Random, bytes: Buffer): Buffer {
  let found = bytes;
  for (let left = 1 + random.below(3); left > 0; left--) {
    const at = random.below(found.length + 1);
    const to = Math.min(found.length, at + 1 + random.below(8));
    const [before, piece, after] = [found.subarray(0, at), found.subarray(at, to), found.subarray(to)];
    found = random.pick([
      () => Buffer.concat([before, Buffer.from(piece.map(byte => byte ^ (1 << random.below(8)))), after]),
      () => Buffer.concat([before, after]),
      () => Buffer.concat([before, piece, piece, after]),
      () => Buffer.concat([before, random.bytes(1 + random.below(4)), piece, after]),
      () => Buffer.concat([before, Buffer.from(anyText(random, 3)), piece, after]),
      () => before,
    ])();
  }
  return found;
}

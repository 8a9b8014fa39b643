/** Repeatable randomness: a failing case prints its seed, `SRV_TEST_SEED` replays it. */

export interface SeededRandom {
  readonly seed: number;
  /** A whole number from 0 to `limit - 1`. */
  below(limit: number): number;
  /** One of `items`, which must not be empty. */
  choose<T>(items: readonly T[]): T;
}

/** Mulberry32. @param seed default: `SRV_TEST_SEED`, else a new one. */
export function seededRandom(seed = Number(process.env.SRV_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))): SeededRandom {
  let state = seed >>> 0;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  return { seed, below, choose: items => items[below(items.length)] as (typeof items)[number] };
}

/** Random numbers that a failing test can repeat: `SRV_TEST_SEED=…` gives the same ones. */
export interface Random {
  /** To be printed with a failure. */
  readonly seed: number;
  /** A whole number from `least` to `most`. */
  readonly int: (least: number, most: number) => number;
}

export function random(seed = Number(process.env.SRV_TEST_SEED ?? Date.now() % 2 ** 31)): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return { seed, int: (least, most) => least + Math.floor(next() * (most - least + 1)) };
}

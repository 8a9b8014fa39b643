/** How good ours is against theirs, from rounds in turns. */
import { middle } from '../benchmark.js';
import type { Work } from './work.js';

/** Above 1: ours is better. */
interface Comparison {
  /** The middle of the rounds, each against its own counterpart. */
  readonly value: number;
  /** What the middle of many more rounds would be, in 19 of 20 cases. */
  readonly low: number;
  readonly high: number;
}

/** @param roundsPerProcess rounds of one process count as one: processes differ, and the rounds of one resemble each other. */
export function comparison(
  { unit, roundsPerProcess = 1 }: Pick<Work, 'unit' | 'roundsPerProcess'>,
  ours: readonly number[],
  theirs: readonly number[],
): Comparison {
  const better = ours.map((our, round) => {
    const their = theirs[round] ?? our;
    return unit.endsWith('/s') ? our / their : their / our;
  });
  const processes = Array.from({ length: Math.ceil(better.length / roundsPerProcess) }, (_, i) =>
    middle(better.slice(i * roundsPerProcess, (i + 1) * roundsPerProcess)),
  ).sort((a, b) => a - b);
  const value = middle(better);
  // Ranks between which the median lies: the binomial distribution, taken as a normal one.
  const outside = Math.max(0, Math.floor((processes.length - 1.96 * Math.sqrt(processes.length)) / 2));
  return { value, low: Math.min(value, processes[outside] ?? value), high: Math.max(value, processes.at(-1 - outside) ?? value) };
}

/** What the two servers are made to do, and how the results are compared. */
import type { Side } from './side.js';

/** One row of the table. */
export interface Work {
  readonly what: string;
  readonly unit: 'requests/s' | 'MiB/s' | 'MiB' | 'ms';
  /** How often each side does it, in turns. */
  readonly rounds: number;
  /** After this number of rounds both servers are started again. Default: never. */
  readonly roundsPerProcess?: number;
  /** @param round from 0: what a round makes must not exist yet. @returns the value of the row, or of both rows when {@link tail} is set. */
  measure(side: Side, round: number): Promise<number | Measured>;
  /** Names a second row in milliseconds, for the value `tail`. */
  readonly tail?: string | undefined;
}

interface Measured {
  readonly value: number;
  readonly tail: number;
}

/** How large everything is. */
export interface Scale {
  /** Objects of the repository that is read. */
  readonly objects: number;
  /** Objects of the commits that are timed. */
  readonly committed: number;
  readonly first: number;
  readonly imported: number;
  /** Milliseconds of each load, before it, and before the first one. */
  readonly duration: number;
  readonly warmUp: number;
  readonly firstWarmUp: number;
  /** How often loads are measured, and how often by one process; steps of some milliseconds, and everything else. */
  readonly loads: number;
  readonly loadsPerProcess: number;
  readonly steps: number;
  readonly rounds: number;
  /** How many times as many rounds there may be where the comparison is not clear. */
  readonly patience: number;
  /** Bytes of the large object. */
  readonly large: number;
  /** Parts of one upload whose URLs are signed. */
  readonly signedParts: number;
}

export const connections = 64;
export const repository = '/repositories/bench';

/** Paths are spread over folders of a thousand. */
export function pathOf(i: number): string {
  return `data/set-${String(Math.floor(i / 1000)).padStart(4, '0')}/part-${String(i).padStart(8, '0')}`;
}

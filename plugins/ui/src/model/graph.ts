/** Lanes of a commit graph: one row at a time, newest first. */

interface GraphCommit {
  readonly id: string;
  readonly parents: readonly string[];
}

export interface GraphRow {
  /** Lane of the commit itself. */
  readonly lane: number;
  /** Lines through the row: from a lane at its top to a lane at its bottom. */
  readonly lines: readonly (readonly [from: number, to: number])[];
  /** Lanes whose line ends in the commit. */
  readonly into: readonly number[];
  /** Lanes that begin at the commit. */
  readonly out: readonly number[];
}

interface Graph {
  readonly rows: readonly GraphRow[];
  readonly width: number;
}

export function layOut(commits: readonly GraphCommit[]): Graph {
  /** Each lane waits for the commit of that id. */
  let lanes: (string | undefined)[] = [];
  let width = 1;
  const rows = commits.map(({ id, parents }): GraphRow => {
    const waiting = lanes.flatMap((wanted, lane) => (wanted === id ? [lane] : []));
    const lane = waiting[0] ?? freeLane(lanes);
    const next = lanes.map(wanted => (wanted === id ? undefined : wanted));
    const out = parents.map((parent, i) => {
      const there = next.indexOf(parent);
      if (there >= 0) return there;
      const at = i === 0 && next[lane] === undefined ? lane : freeLane(next);
      next[at] = parent;
      return at;
    });
    const lines = lanes.flatMap((wanted, at): (readonly [number, number])[] => (wanted !== undefined && wanted !== id ? [[at, at]] : []));
    width = Math.max(width, next.length, lanes.length, lane + 1);
    lanes = next;
    while (lanes.length > 0 && lanes.at(-1) === undefined) lanes.pop();
    return { lane, lines, into: waiting, out };
  });
  return { rows, width };
}

function freeLane(lanes: readonly (string | undefined)[]): number {
  const free = lanes.indexOf(undefined);
  return free < 0 ? lanes.length : free;
}

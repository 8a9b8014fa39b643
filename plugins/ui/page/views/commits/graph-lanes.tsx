/** The graph beside the log, row by row. */
import type { GraphRow } from '../../../src/model/graph.js';

/** Pixels. */
export const rowHeight = 56;
const laneWidth = 14;
const mostLanes = 10;

/** @returns pixels that the graph takes; 0: it is not drawn. */
export function graphWidth(lanes: number): number {
  return lanes === 0 ? 0 : Math.min(mostLanes, lanes) * laneWidth + 4;
}

export function GraphLanes({ row: { lane, lines, into, out } }: { readonly row: GraphRow }) {
  const x = (at: number): number => Math.min(at, mostLanes - 1) * laneWidth + 8;
  const middle = rowHeight / 2;
  return (
    <svg class="lanes" aria-hidden="true" width={mostLanes * laneWidth} height={rowHeight} focusable="false">
      {lines.map(([from, to_]) => (
        <path key={`${from}`} d={`M${x(from)} 0L${x(to_)} ${rowHeight}`} />
      ))}
      {into.map(from => (
        <path key={`i${from}`} d={`M${x(from)} 0C${x(from)} ${middle / 2} ${x(lane)} ${middle / 2} ${x(lane)} ${middle}`} />
      ))}
      {out.map(to_ => (
        <path key={`o${to_}`} d={`M${x(lane)} ${middle}C${x(lane)} ${middle * 1.5} ${x(to_)} ${middle * 1.5} ${x(to_)} ${rowHeight}`} />
      ))}
      <circle cx={x(lane)} cy={middle} r="4.500" />
    </svg>
  );
}

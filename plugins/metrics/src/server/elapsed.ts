/** Time between two moments. */

/** @param began what `performance.now()` said then. @returns seconds. */
export function secondsSince(began: number): number {
  return (performance.now() - began) / 1000;
}

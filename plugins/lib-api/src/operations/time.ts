/** Times as the API shows them. */

/** Unix seconds, rounded down. */
export function toSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}

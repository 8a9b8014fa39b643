/** Times of runs as clients and readers of the storage get them. */

/** Time of what never began: the first moment of year 1, as existing readers compare it. */
export const never = new Date(-62_135_596_800_000);

export function isNever(date: Date): boolean {
  return date.getTime() === never.getTime();
}

/** RFC 3339 in UTC. */
export function wireTime(date: Date): string {
  return isNever(date) ? '0001-01-01T00:00:00Z' : date.toISOString();
}

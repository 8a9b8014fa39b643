/** How long to wait before a request is sent again. */

export interface BackOff {
  /** Most milliseconds before the first retry; doubled for each further one. */
  readonly firstMs: number;
  /** The bound of the doubling, in milliseconds. */
  readonly longestMs: number;
}

/**
 * Milliseconds, at random up to the limit of this retry, so that callers which failed together do not return together.
 * @param retry from 1.
 */
export function backOffMs(retry: number, { firstMs, longestMs }: BackOff): number {
  return Math.random() * Math.min(longestMs, firstMs * 2 ** (retry - 1));
}

/** Pages of lists of the directory. */
export interface AuthPage<T> {
  readonly results: readonly T[];
  readonly hasMore: boolean;
  /** Pass as `after` for the next page; empty when `hasMore` is false. */
  readonly nextOffset: string;
}

export interface AuthPageRequest {
  readonly prefix?: string | undefined;
  /** Exclusive; need not exist. */
  readonly after?: string | undefined;
  /** 1 to 1000; absent: 100. */
  readonly amount?: number;
}

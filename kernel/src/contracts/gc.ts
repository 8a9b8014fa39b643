/** What a garbage-collection run intends to remove; each `gcPlan` tap may narrow or extend it. */
export interface GcPlan {
  readonly repository: string;
  readonly runId: string;
  /** Metaranges that must survive. */
  readonly keepMetaranges: AsyncIterable<string>;
  /** Uncommitted physical addresses that must survive, relative to the namespace. */
  readonly keepAddresses: AsyncIterable<string>;
  /** Objects younger than this survive. */
  readonly cutoff: Date;
}

export interface GcReport {
  readonly runId: string;
  readonly removedObjects: number;
  readonly removedBytes: number;
}

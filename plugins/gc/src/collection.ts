/** What taps of `gcPlan` and `gcSweep` get: a run that finds out what must stay, and a batch to remove. */

export type { GcBatch, GcBatchResult, GcPlan } from '@srv/kernel';

declare module '@srv/kernel' {
  /** A run while it finds out what stays. */
  interface GcPlan {
    readonly repository: string;
    readonly storageNamespace: string;
    /** Of the block store; empty: the only or the default one. */
    readonly storageId: string;
    readonly runId: string;
    /** Objects younger than this stay anyway. */
    readonly cutoff: Date;
    readonly signal: AbortSignal;
    /**
     * Keeps objects of the namespace: addresses however they are spelled, or whole records that hold some. Names that are
     * not this repository's do no harm.
     */
    keep(texts: Iterable<string> | AsyncIterable<string>): Promise<void>;
  }

  /** Objects that nothing refers to, checked a moment ago. */
  interface GcBatch {
    readonly repository: string;
    readonly storageNamespace: string;
    /** Of the block store; empty: the only or the default one. */
    readonly storageId: string;
    readonly runId: string;
    /** Relative to the namespace. */
    readonly keys: readonly string[];
    /** Folder of the namespace that takes the objects for a while; absent: they are deleted. */
    readonly quarantine?: string | undefined;
    /** Await before every removal, or once for that many. @throws SrvError if the batch must stop. */
    permit(count?: number): Promise<void>;
    /** Aborted when the batch must stop: requests in progress end. */
    readonly signal: AbortSignal;
  }

  interface GcBatchResult {
    /** Keys that are gone; one that was not there counts. */
    readonly removed: readonly string[];
    readonly failed: readonly { readonly key: string; readonly error: string }[];
  }
}

/** A walk over the records of a metarange, which holds the files it has come to until it is closed. */
import { RecordCursor } from './algorithms/index.js';
import type { MetarangeCursor } from './algorithms/index.js';
import type { Lease } from './cache/reader-pool.js';
import type { CommittedCursor } from './contract.js';

export class LeasedCursor extends RecordCursor implements CommittedCursor {
  readonly #leases: Lease[];

  /** @param leases those of the files that the metarange cursor opens, now and later. */
  constructor(metarange: MetarangeCursor, leases: Lease[]) {
    super(metarange);
    this.#leases = leases;
  }

  close(): void {
    for (const lease of this.#leases.splice(0)) lease.release();
  }
}

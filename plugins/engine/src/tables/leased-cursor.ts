/** A walk over the records of a metarange, which holds the files it is in until it is closed. */
import { RecordCursor } from './algorithms/index.js';
import type { MetarangeCursor } from './algorithms/index.js';
import type { HeldTables } from './cache/held-tables.js';
import type { CommittedCursor } from './contract.js';

export class LeasedCursor extends RecordCursor implements CommittedCursor {
  readonly #held: HeldTables;

  /** @param held the files that the metarange cursor has open. */
  constructor(metarange: MetarangeCursor, held: HeldTables) {
    super(metarange);
    this.#held = held;
  }

  close(): void {
    this.#held.release();
  }
}

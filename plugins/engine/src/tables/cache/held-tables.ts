/** Tables that a walk has open: those it has come past are given back, however many it enters. */
import type { TableReader } from '../format/index.js';
import type { FileKind } from './cache-meter.js';
import type { Lease } from './reader-pool.js';

export class HeldTables {
  readonly #acquire: (kind: FileKind, id: string) => Promise<Lease>;
  /** By id: several cursors may be in the same table. */
  readonly #held = new Map<string, Lease[]>();
  readonly #left: Lease[] = [];

  constructor(acquire: (kind: FileKind, id: string) => Promise<Lease>) {
    this.#acquire = acquire;
  }

  async open(kind: FileKind, id: string): Promise<TableReader> {
    const lease = await this.#acquire(kind, id);
    const held = this.#held.get(id);
    if (held) held.push(lease);
    else this.#held.set(id, [lease]);
    return lease.reader;
  }

  /** A cursor has come past a table. What it has put out may still be read from there, until {@link giveBack}. */
  leave(id: string): void {
    const held = this.#held.get(id);
    const lease = held?.pop();
    if (held?.length === 0) this.#held.delete(id);
    if (lease) this.#left.push(lease);
  }

  /** Gives back what cursors have left: whatever they put out has been read. */
  giveBack(): void {
    for (const lease of this.#left.splice(0)) lease.release();
  }

  /** The walk is over. */
  release(): void {
    this.giveBack();
    for (const leases of this.#held.values()) for (const lease of leases) lease.release();
    this.#held.clear();
  }
}

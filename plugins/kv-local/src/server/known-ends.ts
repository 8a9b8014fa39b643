/**
 * How far the records of a partition reach, as far as scans have shown: a look behind that is spared. Branches without
 * uncommitted changes are read all the time, each time with a look into a partition that holds nothing, and next to records
 * that have just been deleted LevelDB passes over each of them. Nobody else writes to the database, so what a scan has shown
 * stays true until this program writes there.
 */
interface Look {
  readonly from: Buffer;
  /** Something was written meanwhile that the look may have missed. */
  disturbed: boolean;
}

/** @bound partitions whose end is remembered */
const maxPartitions = 10_000;

export class KnownEnds {
  /** By partition: nothing exists at this key or after it. */
  readonly #ends = new Map<string, Buffer>();
  readonly #looks = new Map<string, Set<Look>>();

  /** Whether there is certainly nothing at `key` or after it. */
  isBehind(partition: string, key: Buffer): boolean {
    const end = this.#ends.get(partition);
    return end !== undefined && (end.length === 0 || Buffer.compare(key, end) >= 0);
  }

  /** In the turn in which a scan takes its snapshot; {@link ended} must follow. */
  begin(partition: string, from: Buffer): Look {
    const look = { from, disturbed: false };
    const looks = this.#looks.get(partition);
    if (looks) looks.add(look);
    else this.#looks.set(partition, new Set([look]));
    return look;
  }

  /** @param foundNothing whether the scan has reached the end of the partition without a record. */
  ended(partition: string, look: Look, foundNothing: boolean): void {
    const looks = this.#looks.get(partition);
    looks?.delete(look);
    if (looks?.size === 0) this.#looks.delete(partition);
    if (!foundNothing || look.disturbed) return;
    const end = this.#ends.get(partition);
    if (end && Buffer.compare(end, look.from) <= 0) return;
    this.#ends.delete(partition);
    this.#ends.set(partition, look.from);
    if (this.#ends.size <= maxPartitions) return;
    for (const oldest of this.#ends.keys()) {
      this.#ends.delete(oldest);
      return;
    }
  }

  /** Forgets everything: records may have appeared that no {@link wrote} has named. */
  clear(): void {
    this.#ends.clear();
    for (const looks of this.#looks.values()) for (const look of looks) look.disturbed = true;
  }

  /** After a record is in the database, before its writer is answered. */
  wrote(partition: string, key: Buffer): void {
    if (this.isBehind(partition, key)) this.#ends.delete(partition);
    for (const look of this.#looks.get(partition) ?? []) look.disturbed = true;
  }
}

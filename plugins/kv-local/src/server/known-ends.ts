/**
 * How far the records of a partition reach, as far as scans have shown, so that reads after that end are saved. Branches
 * without uncommitted changes are read all the time, each time with a scan of an empty partition, and next to records that have
 * just been deleted LevelDB passes over each of them. No other program writes to the database, so what a scan has shown stays
 * true until this program writes there.
 */
interface Scan {
  readonly from: Buffer;
  /** A record was written meanwhile that the scan may have missed. */
  disturbed: boolean;
}

/** @bound partitions whose end is remembered, and whose misses are counted */
const maxPartitions = 10_000;
/** Records that were not found in a partition until it is worth a scan to know whether there are any. */
const missesPerScan = 256;
/** Further ones until it is worth another scan: the one before has found records, or was disturbed. */
const missesBetweenScans = 16_384;

export class KnownEnds {
  /** By partition: nothing exists at this key or after it. */
  readonly #ends = new Map<string, Buffer>();
  readonly #scans = new Map<string, Set<Scan>>();
  /** By partition: records that were not found there; below zero while no scan is worth its cost. */
  readonly #misses = new Map<string, number>();

  /** Whether there is certainly nothing at `key` or after it. */
  isPastEnd(partition: string, key: Buffer): boolean {
    const end = this.#ends.get(partition);
    return end !== undefined && (end.length === 0 || Buffer.compare(key, end) >= 0);
  }

  /** After a read that found nothing. @returns whether a scan from the start of the partition is worth its cost. */
  missed(partition: string): boolean {
    const misses = (this.#misses.get(partition) ?? 0) + 1;
    if (this.#misses.size >= maxPartitions) this.#misses.clear();
    const isDue = misses === missesPerScan;
    this.#misses.set(partition, isDue ? missesPerScan - missesBetweenScans : misses);
    return isDue;
  }

  /** In the turn in which a scan takes its snapshot; {@link ended} must follow. */
  begin(partition: string, from: Buffer): Scan {
    const scan = { from, disturbed: false };
    const scans = this.#scans.get(partition);
    if (scans) scans.add(scan);
    else this.#scans.set(partition, new Set([scan]));
    return scan;
  }

  /** @param foundNothing whether the scan has reached the end of the partition without a record. */
  ended(partition: string, scan: Scan, foundNothing: boolean): void {
    const scans = this.#scans.get(partition);
    scans?.delete(scan);
    if (scans?.size === 0) this.#scans.delete(partition);
    if (!foundNothing || scan.disturbed) return;
    const end = this.#ends.get(partition);
    if (end && Buffer.compare(end, scan.from) <= 0) return;
    this.#ends.delete(partition);
    this.#ends.set(partition, scan.from);
    if (this.#ends.size <= maxPartitions) return;
    for (const oldest of this.#ends.keys()) {
      this.#ends.delete(oldest);
      return;
    }
  }

  /** Forgets everything: records may have appeared that no {@link wrote} has named. */
  clear(): void {
    this.#ends.clear();
    for (const scans of this.#scans.values()) for (const scan of scans) scan.disturbed = true;
  }

  /** After a record is in the database, before its writer is answered. */
  wrote(partition: string, key: Buffer): void {
    if (this.isPastEnd(partition, key)) {
      this.#ends.delete(partition);
      this.#misses.delete(partition);
    }
    for (const scan of this.#scans.get(partition) ?? []) scan.disturbed = true;
  }
}

/** The segments of an open journal: which one is current, what each may hold, and when it is due to be retired. */
import { join } from 'node:path';

export interface JournalLimits {
  /** Bytes after which a segment is closed. */
  readonly segmentBytes: number;
  /** Milliseconds after which a segment is closed. */
  readonly segmentMs: number;
  /** Milliseconds a closed segment waits: by then the system has written the files, and their syncs are cheap. */
  readonly retireAfterMs: number;
  /**
   * Bytes and records of all segments; beyond them the journal takes no more. To retire segments sooner instead would cost
   * more than to sync each file at once.
   * @bound bytes of small files in the journal, apart from one batch
   */
  readonly totalBytes: number;
  readonly totalRecords: number;
}

export const journalLimits: JournalLimits = {
  segmentBytes: 16 << 20,
  segmentMs: 5000,
  retireAfterMs: 35_000,
  totalBytes: 512 << 20,
  totalRecords: 500_000,
};

/** Far more than there are unless retiring fails again and again. */
const maxSegments = 100;

export interface LiveSegment {
  readonly path: string;
  readonly beganMs: number;
  size: number;
  records: number;
  /** `undefined`: it still grows. */
  closedMs: number | undefined;
  /** Hashes of the names it may hold records of. */
  readonly names: Set<number>;
  /** Names whose earlier records have ended. */
  readonly forgotten: Set<string>;
  /** Whether a sync failed: what the system holds of its files may never reach the disk. */
  suspect: boolean;
}

export class JournalSegments {
  readonly #folder: string;
  readonly #limits: JournalLimits;
  /** The oldest first; they end in this order. */
  readonly #segments: LiveSegment[] = [];
  #last = 0;
  /** The segment a batch is being appended to. */
  #busy: LiveSegment | undefined;

  constructor(folder: string, limits: JournalLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#segments.length === 0;
  }

  get oldest(): LiveSegment | undefined {
    return this.#segments[0];
  }

  get newest(): LiveSegment | undefined {
    return this.#segments.at(-1);
  }

  /** Whether there is no room but for the end of records. */
  get isFull(): boolean {
    return this.#fills(1);
  }

  /**
   * Begins a batch, of which there is one at a time.
   * @param ends whether it ends records: room is reserved for that.
   * @returns the segment that it is appended to, and that may hold these names from now on; `undefined` when all are full.
   */
  begin(names: readonly string[], ends: boolean, nowMs: number): LiveSegment | undefined {
    if (ends ? this.#fills(1.25) : this.isFull) return undefined;
    this.closeAged(nowMs);
    if ((this.#growing?.size ?? 0) >= this.#limits.segmentBytes) this.closeNow(nowMs);
    const segment = this.#growing ?? this.#add(nowMs);
    for (const name of names) segment.names.add(hashOf(name));
    segment.records += names.length;
    this.#busy = segment;
    return segment;
  }

  /** Ends the batch. @param size bytes of the segment now; `undefined` when nothing is known of its end: it takes no more. */
  end(size: number | undefined, nowMs: number): void {
    const segment = this.#busy;
    this.#busy = undefined;
    if (!segment) return;
    if (size === undefined) segment.closedMs ??= nowMs;
    else segment.size = size;
  }

  has(segment: LiveSegment): boolean {
    return this.#segments.includes(segment);
  }

  /** Whether a batch is being appended. */
  isBusy(segment: LiveSegment): boolean {
    return this.#busy === segment;
  }

  closeNow(nowMs: number): void {
    const segment = this.#growing;
    if (segment) segment.closedMs = nowMs;
  }

  /** Closes the segment that grows when it is old enough. */
  closeAged(nowMs: number): void {
    if (nowMs - (this.#growing?.beganMs ?? nowMs) >= this.#limits.segmentMs) this.closeNow(nowMs);
  }

  /** Whether a record of the name may be there; rarely also of a name that was never written. */
  mayHold(name: string): boolean {
    const hash = hashOf(name);
    return this.#segments.some(({ names }) => names.has(hash));
  }

  /** Notes that the records of a name have ended. As long as that is known, the name counts as held. */
  forget(name: string): void {
    this.newest?.forgotten.add(name);
    this.newest?.names.add(hashOf(name));
  }

  hasForgotten(name: string): boolean {
    return this.#segments.some(({ forgotten }) => forgotten.has(name));
  }

  suspectAll(): void {
    for (const segment of this.#segments) segment.suspect = true;
  }

  /** Milliseconds until a segment is to be closed or retired; `undefined`: no such segment. */
  dueInMs(nowMs: number): number | undefined {
    const times = [];
    if (this.#growing) times.push(this.#growing.beganMs + this.#limits.segmentMs);
    const closedMs = this.oldest?.closedMs;
    if (closedMs !== undefined) times.push(closedMs + this.#limits.retireAfterMs);
    return times.length === 0 ? undefined : Math.max(0, Math.min(...times) - nowMs);
  }

  /** The oldest segment, when it is to be retired. */
  due(nowMs: number): LiveSegment | undefined {
    const { oldest } = this;
    if (oldest?.closedMs === undefined) return undefined;
    return nowMs - oldest.closedMs >= this.#limits.retireAfterMs ? oldest : undefined;
  }

  /** Forgets the oldest segment, which has been retired. */
  drop(): void {
    this.#segments.shift();
  }

  get #growing(): LiveSegment | undefined {
    return this.newest?.closedMs === undefined ? this.newest : undefined;
  }

  #fills(share: number): boolean {
    const { totalBytes, totalRecords } = this.#limits;
    let [bytes, records] = [0, 0];
    for (const segment of this.#segments) {
      bytes += segment.size;
      records += segment.records;
    }
    return bytes >= share * totalBytes || records >= share * totalRecords || this.#segments.length >= share * maxSegments;
  }

  #add(beganMs: number): LiveSegment {
    const path = join(this.#folder, segmentName(++this.#last));
    const segment: LiveSegment = {
      path,
      beganMs,
      size: 0,
      records: 0,
      closedMs: undefined,
      names: new Set(),
      forgotten: new Set(),
      suspect: false,
    };
    this.#segments.push(segment);
    return segment;
  }
}

const numberDigits = 8;

function segmentName(number: number): string {
  return `${String(number).padStart(numberDigits, '0')}.log`;
}

/** The names of segments among those of files, the oldest first. */
export function segmentNames(files: readonly string[]): string[] {
  return files.filter(name => /^\d{8,15}\.log$/.test(name)).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
}

/** FNV-1a in 30 bits. Of a hundred thousand names a number takes a tenth of the memory of the name; two may share one. */
export function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) & 0x3fffffff;
}

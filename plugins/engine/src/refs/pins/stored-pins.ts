/**
 * Pins: content that operations in progress are about to refer to again. A pin is stored before the reference is published;
 * the sweeper reads all pins after it has announced a batch and before it deletes it; an operation that finds an announced
 * batch waits for its end. So either the sweeper sees the pin, or the operation sees what the sweep has left. Batches are
 * numbered: that the next one is announced means the end of the one before, and the next one is checked with the pin.
 *
 * If this program alone uses the database, pins stay in memory until a collection begins, which saves every branch and merge
 * two writes. The collector then writes them to the database: a run that is resumed after a crash needs them.
 *
 * Pins are made whether or not this program collects: another one on the same database may.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SrvError } from '@srv/kernel';
import { partitionOf, recordsBelow } from '@srv/lib-records';
import { announcedBatch, isCollected, readLease, signOf } from './collection-lease.js';
import type { KvStore } from '@srv/kernel';
import type { PinnedContent, Repository } from '../contract.js';
import type { CollectionWait } from './collection-lease.js';

interface Pin {
  readonly content: PinnedContent;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The reference is published; the run under way still needs to know. */
  readonly released: boolean;
}

export interface StoredPin extends Pin {
  readonly key: Buffer;
}

export const pinPrefix = 'gc/pins/';
/** Pins of this program are numbered. */
const program = randomUUID();
let pins = 0;
/** A pin of this program. */
interface OwnPin extends StoredPin {
  readonly partition: string;
  released: boolean;
  /** The database may have it. */
  isWritten: boolean;
  /** No longer needed: if it was written meanwhile, it is deleted. */
  isOver: boolean;
}

/** Pins that may not be in the database, by the store they would be written to. */
const inMemory = new WeakMap<KvStore, Set<OwnPin>>();

function memoryOf(kv: KvStore): Set<OwnPin> {
  const known = inMemory.get(kv) ?? new Set();
  inMemory.set(kv, known);
  return known;
}

/** Writes the pins that are only in memory: after a lease is taken, before anything is read. */
export async function writePins(kv: KvStore, repository: Repository): Promise<void> {
  const partition = partitionOf(repository);
  for (const pin of memoryOf(kv)) {
    if (pin.partition !== partition) continue;
    await write(kv, pin);
    if (pin.isOver) await kv.delete(partition, pin.key);
  }
}

async function write(kv: KvStore, pin: OwnPin): Promise<void> {
  const { partition, key } = pin;
  pin.isWritten = true;
  await kv.set(partition, key, encodePin(pin));
}

/** Stored form of a pin: the content is called `revived`. */
type StoredForm = Omit<Pin, 'content'> & { readonly revived: PinnedContent };

function encodePin({ content, at, released }: Pin): Buffer {
  return Buffer.from(JSON.stringify({ revived: content, at, released } satisfies StoredForm));
}

function decodePin(value: Buffer): Pin {
  const { revived: content, ...pin } = JSON.parse(value.toString('utf8')) as StoredForm;
  return { content, ...pin };
}

/** Every pin of a repository. */
export async function pinsOf(kv: KvStore, repository: Repository): Promise<StoredPin[]> {
  const partition = partitionOf(repository);
  const found: StoredPin[] = [...memoryOf(kv)].filter(pin => pin.partition === partition);
  for await (const { key, value } of recordsBelow(kv, partition, Buffer.from(pinPrefix))) found.push({ ...decodePin(value), key });
  return found;
}

/**
 * Makes a pin known and waits until no batch can be deleted that was checked without it.
 * @returns what ends the pin.
 * @throws SrvError `unavailable` when a batch takes too long; then nothing is pinned.
 */
export async function pin(
  repository: Repository,
  content: PinnedContent,
  { kv, times }: { readonly kv: KvStore; readonly times: CollectionWait },
): Promise<() => Promise<void>> {
  const partition = partitionOf(repository);
  const key = Buffer.from(`${pinPrefix}${program}-${++pins}`);
  const made: OwnPin = { partition, key, content, at: Date.now(), released: false, isWritten: false, isOver: false };
  const isAlone = !kv.isShared;
  // First in memory, then the lease is read: a run that takes the lease in between finds the pin.
  if (isAlone) memoryOf(kv).add(made);
  try {
    if (!isAlone || (await isCollected(kv, repository))) {
      await write(kv, made);
      await batchEnd(repository, kv, times);
    }
  } catch (error) {
    await release(made, repository, kv).catch(() => {});
    throw error;
  }
  return () => release(made, repository, kv);
}

async function release(made: OwnPin, repository: Repository, kv: KvStore): Promise<void> {
  try {
    if (await isCollected(kv, repository)) {
      made.released = true;
      await write(kv, made);
      return;
    }
    made.isOver = true;
    if (made.isWritten) await kv.delete(made.partition, made.key);
  } finally {
    memoryOf(kv).delete(made);
  }
}

/** Returns when no batch is announced, when another one is, or when the server that announced it shows no sign of life. */
async function batchEnd(repository: Repository, kv: KvStore, { look, stale, longest }: CollectionWait): Promise<void> {
  const { state: first } = await readLease(kv, repository);
  const batch = announcedBatch(first);
  const began = performance.now();
  let sign = signOf(first);
  let since = began;
  for (let state = first; batch !== undefined && announcedBatch(state) === batch; ) {
    if (signOf(state) !== sign) [sign, since] = [signOf(state), performance.now()];
    if (performance.now() - since > stale) return;
    if (performance.now() - began > longest)
      throw new SrvError('unavailable', `garbage collection of ${repository.id} has been removing a batch for too long; try again later`, {
        details: { repository: repository.id, run: state.run },
      });
    await sleep(look);
    ({ state } = await readLease(kv, repository));
  }
}

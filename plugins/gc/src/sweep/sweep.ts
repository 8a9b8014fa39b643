/**
 * Removes what a mark has found, batch by batch. Before every batch the present state is read again: namespaces, rules,
 * heads, tags and pins. What is found alive joins the set of what stays, and the batch goes without it.
 */
import { SrvError, throwIfAborted } from '@srv/kernel';
import { objectAt } from '../mark/object-id.js';
import { objectPages } from '../mark/object-lines.js';
import { refuseOverlap } from '../mark/overlap.js';
import { keepPinned, presentMetaranges } from '../mark/references.js';
import { sameRules } from '../rules/record.js';
import { sweepPins } from '../run/pins.js';
import { RateLimiter } from './rate-limiter.js';
import { removeGarbage } from './remove-garbage.js';
import type { GcBatchResult } from '../collection.js';
import type { MarkContext, MarkRequest } from '../mark/context.js';
import type { Kept } from '../mark/mark.js';
import type { ListedObject } from '../mark/object-lines.js';
import type { Lease } from '../run/lease.js';
import type { StoredPin } from '../run/pins.js';

interface SweepProgress {
  /** Garbage dealt with, from the beginning of the list. */
  readonly swept: number;
  readonly deleted: number;
  readonly deletedBytes: number;
  readonly spared: number;
  readonly failures: number;
}

interface SweepRequest extends MarkRequest {
  readonly kept: Kept;
  readonly lease: Lease;
  /** File of the garbage. */
  readonly path: string;
  /** Lines of it that are done. */
  readonly from: SweepProgress;
  /** Folder of the namespace for objects that can be brought back. */
  readonly quarantine: string | undefined;
  readonly rateLimit: number;
  /** Stores how far it has come; after every batch. */
  readonly note: (progress: SweepProgress, failed: GcBatchResult['failed']) => Promise<void>;
}

/** Objects per batch: removing them takes about as long as an operation that revives objects may wait. */
const [leastBatch, firstBatch, largestBatch] = [50, 1000, 10_000];
/** Milliseconds. */
const batchTime = 1000;

export async function sweep(request: SweepRequest, context: MarkContext): Promise<SweepProgress> {
  const notes = new Notes(request);
  try {
    return await sweepAll(request, context, notes);
  } finally {
    await notes.settled();
  }
}

/** Stores progress while the next batch is removed. A run that resumes from an older note at worst examines one batch twice. */
class Notes {
  readonly #note: SweepRequest['note'];
  #last: Promise<void> = Promise.resolve();

  constructor({ note }: Pick<SweepRequest, 'note'>) {
    this.#note = note;
  }

  /** @throws what the note before has thrown. */
  async add(progress: SweepProgress, failed: GcBatchResult['failed']): Promise<void> {
    await this.#last;
    this.#last = this.#note(progress, failed);
    this.#last.catch(() => {});
  }

  async settled(): Promise<void> {
    await this.#last.catch(() => {});
  }

  /** @throws what the last note has thrown. */
  async finish(): Promise<void> {
    await this.#last;
  }
}

async function sweepAll(request: SweepRequest, context: MarkContext, notes: Notes): Promise<SweepProgress> {
  const { from, lease, signal } = request;
  const verifier = new Verifier(request, context);
  const limiter = new RateLimiter(request.rateLimit);
  let progress = from;
  const limit = request.rateLimit > 0 ? request.rateLimit * (batchTime / 1000) : largestBatch;
  let size = Math.min(firstBatch, Math.max(leastBatch, limit));
  for await (const batch of batches(request.path, from.swept, () => Math.ceil(size))) {
    throwIfAborted(signal);
    const began = performance.now();
    const { garbage, result } = await lease.inBatch(async () => {
      const garbage = await verifier.stillGarbage(batch);
      const keys = garbage.map(({ key }) => key);
      return { garbage, result: await removeGarbage(keys, request, limiter, context) };
    });
    size = Math.min(limit, largestBatch, Math.max(leastBatch, (batch.length / (performance.now() - began)) * batchTime));
    const removed = new Set(result.removed);
    progress = {
      swept: progress.swept + batch.length,
      deleted: progress.deleted + removed.size,
      deletedBytes: progress.deletedBytes + garbage.reduce((sum, { key, size }) => sum + (removed.has(key) ? size : 0), 0),
      spared: progress.spared + batch.length - garbage.length,
      failures: progress.failures + result.failed.length,
    };
    await notes.add(progress, result.failed);
  }
  await notes.finish();
  await verifier.finish();
  return progress;
}

class Verifier {
  readonly #request: SweepRequest;
  readonly #context: MarkContext;
  readonly #known = new Map<string, string>();
  #pins: readonly StoredPin[];

  constructor(request: SweepRequest, context: MarkContext) {
    this.#request = request;
    this.#context = context;
    this.#pins = request.kept.pins;
  }

  /** Those of a batch that nothing refers to this moment. */
  async stillGarbage(batch: readonly ListedObject[]): Promise<ListedObject[]> {
    const { repository, kept, cutoff } = this.#request;
    const { block, engine, rules } = this.#context;
    await refuseOverlap(block, repository, engine.repositories(''));
    const now = await rules.find(repository);
    if (!sameRules(now, kept.rules))
      throw new SrvError('conflict', 'the retention rules were changed while their garbage was collected; start the run again');
    this.#pins = await keepPinned(repository, kept.keep, this.#context);
    await kept.keep.cover(await presentMetaranges(repository, now, this.#known, this.#context));
    return batch.filter(({ key, modified }) => {
      const id = objectAt(key);
      return id !== undefined && modified < cutoff.getTime() && !kept.keep.has(id);
    });
  }

  /** Forgets pins whose operations were over when they were last looked at. */
  async finish(): Promise<void> {
    await sweepPins(this.#context.kv, this.#request.repository, this.#pins);
  }
}

/** @param size objects of the next batch. */
async function* batches(path: string, skip: number, size: () => number): AsyncGenerator<readonly ListedObject[]> {
  let batch: ListedObject[] = [];
  let line = 0;
  for await (const page of objectPages(path)) {
    for (const object of page) {
      if (line++ < skip) continue;
      batch.push(object);
      if (batch.length < size()) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

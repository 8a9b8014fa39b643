/** Small files, written by a thread: many at a time, so that they share the sync of the journal. Without it there are more. */

import { maxContentBytes } from '../journal/journal-format.js';
import { BatchThreads, errorOf } from './batch-threads.js';
import { packJobs, unpackResults } from './small-write-messages.js';
import type { SegmentEnd } from '../journal/journal-append.js';
import type { ThreadFailure } from './batch-threads.js';
import type { WriteAnswer, WriteFileJob, WriteJob, WriteResult, WrittenSmall } from './small-write-messages.js';

/** Bytes of the largest body that is written this way. */
export const smallWriteBytes = maxContentBytes;

interface SmallWritesOptions {
  /** Real path of the base folder. */
  readonly base: string;
  /** Where files are written before they get their name. */
  readonly temporary: string;
  /** Without it every file is synced separately. */
  readonly journal?: BatchJournal;
  /** False: files without a journal are not synced. Default: true. */
  readonly syncs?: boolean;
}

/** What a journal has to know of each batch; there is one at a time. */
export interface BatchJournal {
  /**
   * Where the journal continues with the records of these names; `undefined` when it takes none.
   * @param ends whether some of them end.
   */
  begin(names: readonly string[], ends: boolean): SegmentEnd | undefined;
  /** @param outcome bytes the segment has now, or why it failed. */
  end(outcome: number | ThreadFailure): void;
}

export class SmallWrites {
  readonly #threads: BatchThreads<WriteJob, WriteResult, WriteAnswer>;

  constructor({ base, temporary, journal, syncs = true }: SmallWritesOptions) {
    const isShared = journal !== undefined || !syncs;
    this.#threads = new BatchThreads({
      script: new URL('./small-write-worker.js', import.meta.url),
      // With a journal one: what comes while it works shares the next sync. Without, several: the disk takes their syncs at
      // the price of one, and a thread takes so few that files which come together are spread over all of them.
      threads: isShared ? 1 : 4,
      batch: isShared ? 64 : 8,
      pack(jobs) {
        const names = jobs.flatMap(({ name }) => name ?? []);
        const ends = jobs.some(({ kind }) => kind === 'forget');
        const message = packJobs(jobs, { base, temporary, syncs, segment: journal?.begin(names, ends) });
        return { message, transfer: [message.bytes.buffer] };
      },
      unpack(answer) {
        if (answer.segment !== undefined) journal?.end(answer.segment);
        return unpackResults(answer);
      },
      lost: () => journal?.end({ message: 'the thread was lost', code: undefined }),
    });
  }

  /**
   * Resolves when the file survives a power failure; on failure nothing is left. The content must stay as it is until then.
   * @throws an error with the `code` of the system's.
   */
  async write({ name, object }: Pick<WriteFileJob, 'name' | 'object'>, content: Uint8Array): Promise<WrittenSmall> {
    const result = await this.#threads.run({ kind: 'write', name, object, content });
    if (result === undefined) throw new Error(`${object}: the thread gave no answer`);
    if ('message' in result) throw errorOf(result);
    return result;
  }

  /** Resolves when the journal has voided the earlier records of a name. @throws an error when it cannot. */
  async forget(name: string): Promise<void> {
    const result = await this.#threads.run({ kind: 'forget', name });
    if (result && 'message' in result) throw errorOf(result);
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}

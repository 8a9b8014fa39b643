/** Uncommitted entries as they lie in the database: every row of every partition, whether a newer one hides it or not. */
import { setImmediate } from 'node:timers/promises';
import { decodeEntry } from '@srv/engine/objects/entry';
import { decodeStaged } from '@srv/engine/refs/messages';
import type { Branch } from '@srv/engine/contract';
import type { EntryRecord } from '@srv/engine/objects/entry';
import type { KvStore } from '@srv/kernel';

export interface StagedEntry {
  readonly key: Buffer;
  /** Absent: a tombstone. */
  readonly entry: EntryRecord | undefined;
}

/** Rows decoded between two pauses. */
const sliceRows = 500;

/** Partitions of a branch, newest first. */
export function partitionsOf({ stagingToken, sealedTokens }: Branch): string[] {
  return [stagingToken, ...sealedTokens];
}

/** Rows of one partition in slices, from a key on. @throws the store's error, and `corrupt` for a row that does not decode. */
export async function* stagedEntries(kv: KvStore, partition: string, start?: Buffer): AsyncGenerator<readonly StagedEntry[]> {
  for await (const page of kv.scan(partition, start && start.length > 0 ? { start } : {})) {
    for (let at = 0; at < page.length; at += sliceRows) {
      yield page.slice(at, at + sliceRows).map(({ key, value }) => {
        const staged = decodeStaged(value);
        return { key, entry: staged && decodeEntry(staged.data) };
      });
      await setImmediate();
    }
  }
}

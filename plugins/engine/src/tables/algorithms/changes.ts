/** Staged changes in key order. */
import type { PageCursor } from './page-cursor.js';

export interface Change {
  readonly key: Buffer;
  /** Absent: the key is to be removed. */
  readonly value: Buffer | undefined;
}

export type ChangeCursor = PageCursor<Change>;
